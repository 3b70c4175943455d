import { Choice } from '@/components/choice'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import type { NotificationSettings } from '@/data/notification-settings'
import { Hour, Zone } from '@/features/settings/time-fields'
import { notificationDigests } from '@/strings/labels'

type Digest = NotificationSettings['digest']
type Props = {
  settings: NotificationSettings
  wantsBriefing: boolean
  onSave: (change: Partial<NotificationSettings>) => void
}

const digests = Object.entries(notificationDigests) as [Digest, string][]
const explained: Record<Digest, string> = {
  subito: 'Un’email appena succede qualcosa; quello che succede insieme arriva insieme.',
  oraria: 'Un’email all’ora, se c’è qualcosa da dire.',
  giornaliera: 'Un’email alle 8:00 con le novità, se ce ne sono. Promemoria e approvazioni non aspettano.',
}
const NIGHT = { quiet_from: '21:00', quiet_to: '08:00' }

/** When mail and push leave: digest, quiet hours with their zone, and the hour of the briefing. */
export function TimesCard({ settings, wantsBriefing, onSave }: Props) {
  const isQuiet = settings.quiet_from !== null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Quando</CardTitle>
        <CardDescription>Nelle ore di silenzio non parte niente: email e push aspettano la loro fine.</CardDescription>
      </CardHeader>
      <div className="grid gap-2">
        <p className="text-sm font-medium">Email</p>
        <Choice
          label="Frequenza delle email"
          value={settings.digest}
          options={digests}
          onChange={(digest) => onSave({ digest })}
        />
        <p className="text-sm text-muted-foreground">{explained[settings.digest]}</p>
      </div>
      <div className="grid gap-3">
        <label className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            checked={isQuiet}
            onChange={({ target }) => onSave(target.checked ? NIGHT : { quiet_from: null, quiet_to: null })}
            className="size-5 accent-primary"
          />
          <span className="font-medium">Ore di silenzio</span>
        </label>
        <div className="grid gap-4 sm:grid-cols-3">
          {isQuiet && (
            <>
              <Hour label="Dalle" value={settings.quiet_from} onSave={(at) => onSave({ quiet_from: at })} />
              <Hour label="Alle" value={settings.quiet_to} onSave={(at) => onSave({ quiet_to: at })} />
            </>
          )}
          <Zone zone={settings.zone} onSave={(zone) => onSave({ zone })} />
        </div>
      </div>
      {wantsBriefing && (
        <div className="grid gap-4 sm:grid-cols-3">
          <Hour
            label="Briefing del mattino alle"
            value={settings.briefing_at}
            onSave={(at) => onSave({ briefing_at: at })}
          />
        </div>
      )}
    </Card>
  )
}
