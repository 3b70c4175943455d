/** What an admin tells everybody about an incident: a new one, or one that goes on or ends. */
import { useId, useState } from 'react'

import { NameDialog } from '@/components/name-dialog'
import { RadioCard } from '@/components/radio-card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
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
  const { mutateAsync } = useWriteIncident()
  const [title, setTitle] = useState('')
  const [touched, setTouched] = useState<string[]>([])
  const [state, setState] = useState<IncidentState>(incident?.state ?? 'investigating')

  function check(text: string): string {
    if (incident) return text.length < 3 ? 'Scrivi che cosa succede' : ''
    return Math.min(title.trim().length, text.length) < 3 ? 'Scrivi il titolo e che cosa succede' : ''
  }

  return (
    <NameDialog
      title={incident ? 'Aggiorna l’incidente' : 'Apri un incidente'}
      text={`${incident ? `${incident.title}. ` : ''}Quello che scrivi è pubblico e resta nel registro delle azioni.`}
      label="Che cosa succede"
      longest={500}
      submit="Pubblica"
      done="Incidente pubblicato"
      check={check}
      onSubmit={(text) =>
        mutateAsync({ state, text, ...(incident ? { id: incident.id } : { title: title.trim(), parts: touched }) })
      }
      onClose={onClose}
    >
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
    </NameDialog>
  )
}
