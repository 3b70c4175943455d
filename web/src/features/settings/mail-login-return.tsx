/** Ends a mail login when the provider has sent the person back, and says how it went. */
import { useCallback } from 'react'
import { toast } from 'sonner'

import { Spinner } from '@/components/ui/spinner'
import { useEndMailLogin } from '@/data/mail-login'
import { type ProviderAnswer, useProviderAnswer } from '@/data/provider-answer'
import { FunctionError } from '@/lib/server-errors'

export function MailLoginReturn({ userId }: { userId: string }) {
  const { mutate, isPending, error } = useEndMailLogin(userId)
  const end = useCallback(
    (answer: ProviderAnswer) => mutate(answer, { onSuccess: () => toast.success('Casella collegata') }),
    [mutate],
  )
  useProviderAnswer('accesso', end)

  if (isPending)
    return (
      <p role="status" className="flex items-center gap-2.5 rounded-md border bg-card p-5 text-sm">
        <Spinner aria-hidden /> Sto collegando la casella…
      </p>
    )
  if (error)
    return (
      <p role="alert" className="rounded-md bg-error-tint p-4 text-sm text-pretty break-words">
        {error instanceof FunctionError ? error.message : 'Non siamo riusciti a collegare la casella: riprova'}
      </p>
    )
  return null
}
