/** Asks an admin what becomes of a group of errors, and why. */
import { useId, useState } from 'react'

import { NameDialog } from '@/components/name-dialog'
import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { type ErrorDecision, type ErrorState, useDecideError } from '@/data/admin'

const choices: { decision: ErrorDecision; label: string }[] = [
  { decision: 'resolved', label: 'Risolto: se torna, si riapre' },
  { decision: 'next_release', label: 'Risolto nella prossima versione: si riapre se torna in una più nuova' },
  { decision: 'muted', label: 'Silenzia finché non supera un numero per ora' },
  { decision: 'open', label: 'Riapri' },
]

type Props = {
  group: { id: number; message: string }
  state: ErrorState
  /** It goes to the technical list first. */
  onPlan: () => void
  onClose: () => void
}

export function ErrorDialog({ group, state, onPlan, onClose }: Props) {
  const id = useId()
  const { mutateAsync } = useDecideError()
  const [decision, setDecision] = useState<ErrorDecision>(state === 'open' ? 'resolved' : 'open')
  const [limit, setLimit] = useState('20')

  function check(reason: string): string {
    if (decision === 'muted' && !/^[1-9]\d{0,5}$/.test(limit)) return 'Scrivi quanti errori per ora, da 1 in su'
    return reason.length < 3 ? 'Scrivi il motivo' : ''
  }

  return (
    <NameDialog
      title="Decidi l’errore"
      text={`${group.message} · Il motivo resta nel registro delle azioni.`}
      label="Motivo"
      longest={500}
      submit="Conferma"
      done="Decisione salvata"
      check={check}
      onSubmit={(reason) =>
        mutateAsync({ id: group.id, decision, reason, ...(decision === 'muted' && { limit: Number(limit) }) })
      }
      onClose={onClose}
    >
      <Button type="button" variant="outline" size="sm" className="justify-self-start" onClick={onPlan}>
        Crea una voce di roadmap tecnica
      </Button>
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
    </NameDialog>
  )
}
