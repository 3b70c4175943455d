/** Leaves for the page of a provider, where something is connected. */
import type { UseMutationResult } from '@tanstack/react-query'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { FunctionError } from '@/lib/server-errors'

type Props<T> = {
  /** Asks for the address and goes there. @throws FunctionError with the reason */
  begin: UseMutationResult<void, Error, T>
  value: T
  label: string
  variant?: 'default' | 'outline'
}

export function LeaveButton<T>({ begin, value, label, variant }: Props<T>) {
  // Until the browser has left.
  const isLeaving = begin.isPending || begin.isSuccess

  async function onPress() {
    try {
      await begin.mutateAsync(value)
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti a cominciare: riprova')
    }
  }

  return (
    <Button variant={variant} className="justify-self-start" disabled={isLeaving} onClick={() => void onPress()}>
      {isLeaving && <Spinner aria-hidden />}
      {label}
    </Button>
  )
}
