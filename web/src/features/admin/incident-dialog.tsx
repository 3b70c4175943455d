/** What an admin tells everybody about an incident: a new one, or one that goes on or ends. */
import { useId, useState } from 'react'

import { NameDialog } from '@/components/name-dialog'
import { RadioCard } from '@/components/radio-card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { useWriteIncident } from '@/data/admin'
import type { Incident, IncidentState } from '@/data/service-status'
import { incidentStates, partName } from '@/strings/status'

const IS_PUBLIC = 'Quello che scrivi è pubblico e resta nel registro delle azioni.'
const TAKES_OVER = 'I controlli lo chiudono da soli; se scrivi qui lo segui tu, e lo chiudi tu.'

const states = Object.entries(incidentStates) as [IncidentState, string][]

type Props = {
  /** Without one a new one begins. */ incident: Incident | undefined
  parts: string[]
  onClose: () => void
}

export function IncidentDialog({ incident, parts, onClose }: Props) {
  const id = useId()
  const { mutateAsync } = useWriteIncident()
  const [title, setTitle] = useState(incident?.title ?? '')
  const [touched, setTouched] = useState(incident?.parts ?? [])
  const [state, setState] = useState<IncidentState>(incident?.state ?? 'investigating')
  const isLeftToChecks = incident?.is_automatic && !incident.is_taken_over && incident.ended_at === null

  function check(text: string): string {
    return Math.min(title.trim().length, text.length) < 3 ? 'Scrivi il titolo e che cosa succede' : ''
  }

  const about = (
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
  )

  return (
    <NameDialog
      title={incident ? 'Aggiorna l’incidente' : 'Apri un incidente'}
      text={[incident && `${incident.title}.`, isLeftToChecks && TAKES_OVER, IS_PUBLIC].filter(Boolean).join(' ')}
      label="Che cosa succede"
      longest={500}
      submit="Pubblica"
      done="Incidente pubblicato"
      check={check}
      onSubmit={(text) =>
        mutateAsync({ state, text, title: title.trim(), parts: touched, ...(incident && { id: incident.id }) })
      }
      onClose={onClose}
    >
      {!incident && about}
      <fieldset className="grid grid-cols-2 gap-2">
        <legend className="mb-2 text-sm font-medium">Stato</legend>
        {states.map(([key, label]) => (
          <RadioCard key={key} name={`${id}-state`} checked={state === key} onChange={() => setState(key)}>
            {label}
          </RadioCard>
        ))}
      </fieldset>
      {incident && (
        <details className="text-sm">
          <summary className="flex min-h-11 cursor-pointer items-center font-medium text-primary">
            Titolo e parti colpite
          </summary>
          <div className="grid gap-4 pt-2">{about}</div>
        </details>
      )}
    </NameDialog>
  )
}
