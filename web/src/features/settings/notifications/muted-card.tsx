import { useQuery } from '@tanstack/react-query'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { notificationKindsQuery } from '@/data/notification-settings'

type Props = { muted: readonly string[]; onSave: (change: { muted: string[] }) => void }

/** Kinds that were silenced from the page of notifications, each with its way back. */
export function MutedCard({ muted, onSave }: Props) {
  const { data: kinds = [] } = useQuery(notificationKindsQuery)
  const silenced = kinds.filter(({ kind }) => muted.includes(kind))
  if (silenced.length === 0) return null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Tipi silenziati</CardTitle>
        <CardDescription>Non arrivano né in app, né per email, né come push.</CardDescription>
      </CardHeader>
      <ul className="divide-y">
        {silenced.map(({ kind, label }) => (
          <li key={kind} className="flex min-h-14 items-center justify-between gap-3">
            {label}
            <Button
              variant="outline"
              aria-label={`Riattiva: ${label}`}
              onClick={() => onSave({ muted: muted.filter((each) => each !== kind) })}
            >
              Riattiva
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
