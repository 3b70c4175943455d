/** «Collega Outlook» and «Collega Gmail», where the operator has set them up. */
import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { type MailProvider, mailLoginsQuery, useBeginMailLogin } from '@/data/mail-login'
import { FunctionError } from '@/lib/server-errors'
import { mailProviders } from '@/strings/mail'

export function MailLoginButtons({ userId }: { userId: string }) {
  const { data: offered } = useQuery(mailLoginsQuery(userId))
  const providers = (['microsoft', 'google'] as const).filter((provider) => offered?.[provider])
  if (providers.length === 0) return null
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {providers.map((provider) => (
          <MailLoginButton key={provider} provider={provider} />
        ))}
      </div>
      <p className="text-sm text-pretty text-muted-foreground">
        Accedi sul sito del fornitore: Socio invia e legge la posta, e non vede la password.
      </p>
    </div>
  )
}

type Props = { provider: MailProvider; isAgain?: boolean }

/** Leaves for the provider; `isAgain` after a login that has expired. */
export function MailLoginButton({ provider, isAgain = false }: Props) {
  const begin = useBeginMailLogin()
  // Until the browser has left.
  const isLeaving = begin.isPending || begin.isSuccess

  async function onPress() {
    try {
      await begin.mutateAsync(provider)
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a cominciare: riprova')
    }
  }

  return (
    <Button variant={isAgain ? 'default' : 'outline'} disabled={isLeaving} onClick={() => void onPress()}>
      {isLeaving && <Spinner aria-hidden />}
      {isAgain ? 'Ricollega' : 'Collega'} {mailProviders[provider]}
    </Button>
  )
}
