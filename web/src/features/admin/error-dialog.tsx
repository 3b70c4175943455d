/** Asks an admin what becomes of a group of errors, and why. */
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import { type ErrorDecision, type ErrorState, useDecideError } from '@/data/admin'

const choices: { decision: ErrorDecision; label: string }[] = [
  { decision: 'resolved', label: 'Risolto: se torna, si riapre' },
  { decision: 'next_release', label: 'Risolto nella prossima versione: si riapre se torna in una più nuova' },
  { decision: 'muted', label: 'Silenzia finché non supera un numero per ora' },
  { decision: 'open', label: 'Riapri' },
]

type Props = { group: { id: number; message: string }; state: ErrorState; onClose: () => void }

export function ErrorDialog({ group, state, onClose }: Props) {
  const id = useId()
  const decide = useDecideError()
  const [decision, setDecision] = useState<ErrorDecision>(state === 'open' ? 'resolved' : 'open')
  const [limit, setLimit] = useState('20')
  const [reason, setReason] = useState('')
  const [error, setError] = useState('')

  async function send(event: FormEvent) {
    event.preventDefault()
    if (decision === 'muted' && !/^[1-9]\d{0,5}$/.test(limit)) {
      setError('Scrivi quanti errori per ora, da 1 in su')
      return
    }
    if (reason.trim().length < 3) {
      setError('Scrivi il motivo')
      return
    }
    try {
      await decide.mutateAsync({
        id: group.id,
        decision,
        reason,
        ...(decision === 'muted' && { limit: Number(limit) }),
      })
      toast.success('Decisione salvata')
      onClose()
    } catch {
      setError('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Decidi l’errore</DialogTitle>
          <DialogDescription className="break-words">
            {group.message} · Il motivo resta nel registro delle azioni.
          </DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
          <fieldset className="grid gap-2">
            <legend className="sr-only">Che cosa ne fai</legend>
            {choices
              .filter((choice) => choice.decision !== state)
              .map((choice) => (
                <RadioCard
                  key={choice.decision}
                  isLong
                  name={`${id}-decision`}
                  checked={decision === choice.decision}
                  onChange={() => setDecision(choice.decision)}
                >
                  {choice.label}
                </RadioCard>
              ))}
          </fieldset>
          {decision === 'muted' && (
            <div className="grid gap-1.5">
              <Label htmlFor={`${id}-limit`}>Errori per ora</Label>
              <Input
                id={`${id}-limit`}
                inputMode="numeric"
                maxLength={6}
                value={limit}
                onChange={({ target }) => setLimit(target.value)}
              />
            </div>
          )}
          <div className="grid gap-1.5">
            <Label htmlFor={`${id}-reason`}>Motivo</Label>
            <Input
              id={`${id}-reason`}
              autoComplete="off"
              maxLength={500}
              value={reason}
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={({ target }) => setReason(target.value)}
            />
          </div>
          {error && (
            <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
              {error}
            </p>
          )}
          <Button type="submit" disabled={decide.isPending} className="justify-self-end">
            {decide.isPending && <Spinner aria-hidden />}
            Conferma
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}
