/** The keys and secrets of the installation: since when each is in use, when it is due, and how to replace it. */
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import type { Light } from '@/data/admin'
import { type KeyAge, keysQuery } from '@/data/admin-keys'
import { LightLabel } from '@/features/admin/measured-line'
import { dayInDigits } from '@/strings/dates'
import { keyWords } from '@/strings/keys'

const verdicts: Partial<Record<Light, string>> = { ok: 'In ordine', warning: 'Scade tra poco', error: 'Da cambiare' }

export function KeySection() {
  const headingId = useId()
  const { data: keys, isPending, isError, refetch } = useQuery(keysQuery())
  return (
    <section aria-labelledby={headingId} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="grid gap-1">
        <h2 id={headingId} className="text-base font-semibold">
          Età delle chiavi
        </h2>
        <p className="text-sm text-pretty text-muted-foreground">
          Ogni chiave e segreto si cambia una volta l’anno. La data è quella in cui è comparsa qui: può essere più
          vecchia. I passi sono in «supabase/README.md», alla voce «Age of keys».
        </p>
      </div>
      {isPending && <Skeleton aria-busy className="h-40" />}
      {isError && !keys && <LoadError text="Non siamo riusciti a leggere le chiavi." onRetry={() => void refetch()} />}
      {keys?.length === 0 && (
        <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">
          Nessuna chiave ancora: il worker le guarda ogni ora.
        </p>
      )}
      {keys && keys.length > 0 && (
        <ul className="divide-y rounded-md border bg-card">
          {keys.map((key) => (
            <KeyItem key={key.name} age={key} />
          ))}
        </ul>
      )}
    </section>
  )
}

function KeyItem({ age }: { age: KeyAge }) {
  const { label, how } = keyWords(age.name)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-1 p-4 text-sm">
      <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="font-medium">{label}</span>
        <LightLabel light={age.light} label={verdicts[age.light]} />
      </p>
      <p className="text-muted-foreground">
        In uso dal {dayInDigits(age.used_since)} ·{' '}
        {age.due_at ? `da cambiare entro il ${dayInDigits(age.due_at)}` : 'senza scadenza'}
      </p>
      <p className="text-pretty wrap-anywhere">{how}</p>
    </li>
  )
}
