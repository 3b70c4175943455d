/** What an admin tells everybody about an incident: a new one, or one that goes on or ends. */
import { type FormEvent, useId, useState } from 'react'
import { toast } from 'sonner'

import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import { useWriteIncident } from '@/data/admin'
import type { Incident, IncidentState } from '@/data/service-status'
import { incidentStates, partName } from '@/strings/status'

const states = Object.entries(incidentStates) as [IncidentState, string][]

type Props = {
  /** Without one a new one begins. */ incident: Incident | undefined
  parts: string[]
  onClose: () => void
}

export function IncidentDialog({ incident, parts, onClose }: Props) {
  const id = useId()
  const write = useWriteIncident()
  const [title, setTitle] = useState('')
  const [touched, setTouched] = useState<string[]>([])
  const [state, setState] = useState<IncidentState>(incident?.state ?? 'investigating')
  const [text, setText] = useState('')
  const [error, setError] = useState('')

  async function send(event: FormEvent) {
    event.preventDefault()
    if ((!incident && title.trim().length < 3) || text.trim().length < 3) {
      setError(incident ? 'Scrivi che cosa succede' : 'Scrivi il titolo e che cosa succede')
      return
    }
    try {
      await write.mutateAsync({
        state,
        text: text.trim(),
        ...(incident ? { id: incident.id } : { title: title.trim(), parts: touched }),
      })
      toast.success('Incidente pubblicato')
      onClose()
    } catch {
      setError('Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{incident ? 'Aggiorna l’incidente' : 'Apri un incidente'}</DialogTitle>
          <DialogDescription className="break-words">
            {incident && `${incident.title}. `}Quello che scrivi è pubblico e resta nel registro delle azioni.
          </DialogDescription>
        </DialogHeader>
        <form noValidate onSubmit={(event) => void send(event)} className="grid gap-4">
          {!incident && (
            <>
              <div className="grid gap-1.5">
                <Label htmlFor={`${id}-title`}>Titolo</Label>
                <Input
                  id={`${id}-title`}
                  autoComplete="off"
                  maxLength={120}
                  value={title}
                  onChange={({ target }) => setTitle(target.value)}
                />
              </div>
              <fieldset>
                <legend className="text-sm font-medium">Parti colpite</legend>
                <div className="grid grid-cols-2 gap-x-4">
                  {parts.map((part) => (
                    <label key={part} className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
                      <input
                        type="checkbox"
                        checked={touched.includes(part)}
                        onChange={({ target }) =>
                          setTouched(target.checked ? [...touched, part] : touched.filter((one) => one !== part))
                        }
                        className="size-5 shrink-0 accent-primary"
                      />
                      {partName(part)}
                    </label>
                  ))}
                </div>
              </fieldset>
            </>
          )}
          <fieldset className="grid grid-cols-2 gap-2">
            <legend className="mb-2 text-sm font-medium">Stato</legend>
            {states.map(([key, label]) => (
              <RadioCard key={key} name={`${id}-state`} checked={state === key} onChange={() => setState(key)}>
                {label}
              </RadioCard>
            ))}
          </fieldset>
          <div className="grid gap-1.5">
            <Label htmlFor={`${id}-text`}>Che cosa succede</Label>
            <Input
              id={`${id}-text`}
              autoComplete="off"
              maxLength={500}
              value={text}
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={({ target }) => setText(target.value)}
            />
          </div>
          {error && (
            <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
              {error}
            </p>
          )}
          <Button type="submit" disabled={write.isPending} className="justify-self-end">
            {write.isPending && <Spinner aria-hidden />}
            Pubblica
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}
