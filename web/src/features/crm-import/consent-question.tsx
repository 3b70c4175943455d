import { useId } from 'react'

import { RadioCard } from '@/components/radio-card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import type { ImportConsent } from '@/data/import-run'
import { instantOf, romeDay } from '@/lib/rome-time'
import { consentChannels } from '@/strings/crm'

/** `day` is when it was given. */
export type ConsentAnswer = {
  hasConsent: boolean
  channels: string[]
  source: string
  day: string
}

const today = () => romeDay(new Date())

/** Where nobody says otherwise no consent is noted, so that nothing is sent on the strength of a guess. */
export const noConsent = (): ConsentAnswer => ({
  hasConsent: false,
  channels: ['email'],
  source: '',
  day: today(),
})

/** What the import notes for everybody in the file; `incomplete` while a consent is not told whole. */
export function consentOf({ hasConsent, channels, source, day }: ConsentAnswer): ImportConsent | null | 'incomplete' {
  if (!hasConsent) return null
  if (channels.length === 0 || source.trim() === '' || day === '' || day > today()) return 'incomplete'
  return {
    channels,
    purpose: 'marketing',
    state: 'dato',
    source: source.trim(),
    at: instantOf(day),
  }
}

type Props = {
  answer: ConsentAnswer
  /** Somebody tried to go on: what is missing is said. */
  isAsked: boolean
  onChange: (answer: ConsentAnswer) => void
}

export function ConsentQuestion({ answer, isAsked, onChange }: Props) {
  const id = useId()
  const dayId = useId()
  const { hasConsent, channels, source, day } = answer
  const options = [
    { value: false, label: 'No, o non lo so: non registrare nessun consenso' },
    { value: true, label: 'Sì, e so dire come l’hanno dato' },
  ]
  const toggle = (channel: string) =>
    channels.includes(channel) ? channels.filter((one) => one !== channel) : [...channels, channel]

  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-semibold">
        Tutti in questo file ti hanno dato il consenso a comunicazioni promozionali?
      </legend>
      {options.map(({ value, label }) => (
        <RadioCard
          key={label}
          isLong
          name="consent"
          checked={hasConsent === value}
          onChange={() => onChange({ ...answer, hasConsent: value })}
        >
          {label}
        </RadioCard>
      ))}
      {hasConsent && (
        <div className="grid gap-3 pl-1">
          <div role="group" aria-label="Con quali mezzi" className="flex flex-wrap gap-x-5 gap-y-1">
            {Object.entries(consentChannels).map(([channel, label]) => (
              <label key={channel} className="flex min-h-11 cursor-pointer items-center gap-2 text-sm">
                <input
                  type="checkbox"
                  checked={channels.includes(channel)}
                  onChange={() => onChange({ ...answer, channels: toggle(channel) })}
                  className="size-4 accent-primary"
                />
                {label}
              </label>
            ))}
          </div>
          <div className="grid gap-1.5">
            <Label htmlFor={id}>Come l’hanno dato</Label>
            <Input
              id={id}
              value={source}
              maxLength={200}
              placeholder="Modulo sul sito, firma sul contratto…"
              onChange={(event) => onChange({ ...answer, source: event.target.value })}
            />
          </div>
          <div className="grid gap-1.5">
            <Label htmlFor={dayId}>Quando l’hanno dato</Label>
            <Input
              id={dayId}
              type="date"
              className="max-w-48"
              value={day}
              max={today()}
              onChange={(event) => onChange({ ...answer, day: event.target.value })}
            />
            <p className="text-sm text-muted-foreground">Resta come prova, con questa data, nella scheda di ognuno.</p>
          </div>
        </div>
      )}
      {isAsked && consentOf(answer) === 'incomplete' && (
        <p role="alert" className="text-sm font-medium text-error">
          Scegli almeno un mezzo, scrivi come l’hanno dato e quando: non oltre oggi
        </p>
      )}
    </fieldset>
  )
}
