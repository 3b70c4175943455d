import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { toast } from 'sonner'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { notificationChoicesQuery, useSaveNotificationSettings } from '@/data/notification-settings'
import { type Profile, type ProfileChange, useUpdateProfile } from '@/data/profiles'
import { Hour, Zone } from '@/features/settings/time-fields'

const DAYS = ['lunedì', 'martedì', 'mercoledì', 'giovedì', 'venerdì', 'sabato', 'domenica']
/** How many letters of a day are seen; the rest is heard. */
const SHOWN = 3
const couldNotSave = () => toast.error('Non siamo riusciti a salvare. Riprova.')

/** When the person works: saved at once, as the other times in the settings. */
export function HoursCard({ profile }: { profile: Profile }) {
  const update = useUpdateProfile()
  const { data } = useQuery(notificationChoicesQuery(profile.user_id))
  const saveZone = useSaveNotificationSettings(profile.user_id, couldNotSave)
  const save = (change: ProfileChange) => update.mutate(change, { onError: couldNotSave })

  function toggle(day: number) {
    const isOn = profile.work_days.includes(day)
    const days = isOn ? profile.work_days.filter((one) => one !== day) : [...profile.work_days, day]
    if (days.length === 0) toast.error('Lascia almeno un giorno di lavoro.')
    else save({ work_days: days.toSorted((one, other) => one - other) })
  }
  function saveHours(from: string, to: string) {
    if (from >= to) toast.error('L’orario deve finire dopo l’inizio.')
    else save({ work_from: from, work_to: to })
  }
  const from = profile.work_from.slice(0, 5)
  const to = profile.work_to.slice(0, 5)

  return (
    <Card>
      <CardHeader>
        <CardTitle>Orari di lavoro</CardTitle>
        <CardDescription>
          Una risposta è in ritardo dopo un tuo giorno di lavoro, e «domani» comincia quando cominci tu.
        </CardDescription>
      </CardHeader>
      <div role="group" aria-label="Giorni di lavoro" className="flex flex-wrap gap-2">
        {DAYS.map((name, place) => {
          const isOn = profile.work_days.includes(place + 1)
          return (
            <button
              key={name}
              type="button"
              aria-pressed={isOn}
              disabled={update.isPending}
              onClick={() => toggle(place + 1)}
              className={clsx(
                'min-h-11 min-w-13 rounded-md border px-3 text-sm font-semibold transition-colors',
                isOn ? 'border-primary bg-primary text-primary-foreground' : 'bg-card text-muted-foreground',
              )}
            >
              {name.slice(0, SHOWN)}
              <span className="sr-only">{name.slice(SHOWN)}</span>
            </button>
          )
        })}
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Hour label="Dalle" value={from} onSave={(at) => saveHours(at, to)} />
        <Hour label="Alle" value={to} onSave={(at) => saveHours(from, at)} />
        {data && <Zone zone={data.settings.zone} onSave={(zone) => saveZone.mutate({ zone })} />}
      </div>
    </Card>
  )
}
