/** Ends a mail login when the provider has sent the person back, and says how it went. */
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { Spinner } from '@/components/ui/spinner'
import { mailLoginAnswer, useEndMailLogin } from '@/data/mail-login'
import { FunctionError } from '@/lib/server-errors'

export function MailLoginReturn({ userId }: { userId: string }) {
  const { hash, pathname } = useLocation()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useEndMailLogin(userId)
  const taken = useRef<string | null>(null)

  useEffect(() => {
    const answer = mailLoginAnswer(hash)
    // A state is worth one try.
    if (!answer || taken.current === answer.state) return
    taken.current = answer.state
    void navigate(pathname, { replace: true })
    mutate(answer, { onSuccess: () => toast.success('Casella collegata') })
  }, [hash, pathname, navigate, mutate])

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
