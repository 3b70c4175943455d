/** Leaves for Meta's page, where a number is connected. */
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { useBeginSignup } from '@/data/whatsapp-signup'
import { FunctionError } from '@/lib/server-errors'

type Props = { isOnPhone: boolean; label: string }

export function WhatsappSignupButton({ isOnPhone, label }: Props) {
  const begin = useBeginSignup()
  // Until the browser has left.
  const isLeaving = begin.isPending || begin.isSuccess

  async function onPress() {
    try {
      await begin.mutateAsync(isOnPhone)
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a cominciare: riprova')
    }
  }

  return (
    <Button className="justify-self-start" disabled={isLeaving} onClick={() => void onPress()}>
      {isLeaving && <Spinner aria-hidden />}
      {label}
    </Button>
  )
}
