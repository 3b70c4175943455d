/** Ends the connection of a WhatsApp number when Meta has sent the person back, and says how it went. */
import { useCallback, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { type ProviderAnswer, useProviderAnswer } from '@/data/provider-answer'
import { useEndSignup } from '@/data/whatsapp-signup'
import { FunctionError } from '@/lib/server-errors'

/** After these the same state may be tried again: Meta's code is not lost. */
const RESUMABLE = new Set(['has_pin', 'meta_unavailable', 'refused', 'connected_elsewhere', 'too_many_requests'])

export function WhatsappSignupReturn({ userId }: { userId: string }) {
  const { mutate, isPending, error, data } = useEndSignup(userId)
  const [answer, setAnswer] = useState<ProviderAnswer | null>(null)

  // A state is worth one try; the others are the person's.
  const end = useCallback(
    (told: ProviderAnswer) => {
      setAnswer(told)
      mutate(told, { onSuccess: welcome })
    },
    [mutate],
  )
  useProviderAnswer('whatsapp', end)

  if (isPending)
    return (
      <p role="status" className="flex items-center gap-2.5 rounded-md border bg-card p-5 text-sm">
        <Spinner aria-hidden /> Sto collegando il numero…
      </p>
    )
  if (error)
    return (
      <div role="alert" className="grid justify-items-start gap-3 rounded-md bg-error-tint p-4 text-sm">
        <p className="text-pretty break-words">
          {error instanceof FunctionError ? error.message : 'La connessione si è interrotta: riprova'}
        </p>
        {answer && (!(error instanceof FunctionError) || RESUMABLE.has(error.code)) && (
          <Button variant="outline" size="sm" onClick={() => mutate(answer, { onSuccess: welcome })}>
            Riprova
          </Button>
        )}
      </div>
    )
  if (answer && data?.numbers)
    return (
      <section aria-label="Scegli il numero" className="grid gap-3 rounded-md border bg-card p-5 text-sm">
        <p>Hai dato accesso a più numeri: quale colleghi a Socio?</p>
        <div className="flex flex-wrap gap-2">
          {data.numbers.map(({ id, display_number: number }) => (
            <Button
              key={id}
              variant="outline"
              onClick={() => mutate({ ...answer, phone_number_id: id }, { onSuccess: welcome })}
            >
              {number}
            </Button>
          ))}
        </div>
      </section>
    )
  return null
}

function welcome({ numbers }: { numbers?: unknown }) {
  if (!numbers) toast.success('Numero WhatsApp collegato')
}
