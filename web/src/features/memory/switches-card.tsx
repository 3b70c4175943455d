import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type MemorySettings, memorySettingsQuery, useChangeMemorySettings } from '@/data/memories'

const switches: { name: keyof MemorySettings; label: string; help: string }[] = [
  { name: 'is_active', label: 'Memoria attiva', help: 'Se la spegni, Socio non impara e non usa nessun ricordo.' },
  { name: 'in_new_chats', label: 'Usa nelle nuove chat', help: 'Per ogni conversazione puoi sempre cambiare idea.' },
]

/** Whether Socio remembers at all, and where. */
export function SwitchesCard({ userId }: { userId: string }) {
  const { data, isPending, refetch } = useQuery(memorySettingsQuery(userId))
  const change = useChangeMemorySettings(userId, () => toast.error('Non siamo riusciti a salvare: riprova'))
  if (isPending) return <Skeleton aria-busy className="h-32" />
  if (!data) return <LoadError text="Non riusciamo a leggere le tue scelte." onRetry={() => void refetch()} />
  return (
    <Card className="gap-0 py-2">
      {switches.map(({ name, label, help }) => (
        <label key={name} className="flex min-h-14 cursor-pointer items-center gap-3 py-1">
          <input
            type="checkbox"
            className="size-5 shrink-0 accent-primary"
            checked={data[name]}
            disabled={name === 'in_new_chats' && !data.is_active}
            onChange={({ target }) => change.mutate({ ...data, [name]: target.checked })}
          />
          <span className="font-medium">
            {label}
            <span className="block text-sm font-normal text-muted-foreground">{help}</span>
          </span>
        </label>
      ))}
    </Card>
  )
}
