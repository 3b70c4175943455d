/** The kinds there are, each with how many: one press shows only those. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { startTransition, useOptimistic } from 'react'

import { documentCountsQuery } from '@/data/documents'
import type { DocumentFilter } from '@/data/documents-wish'
import { documentKindPlurals, documentStateLabels } from '@/strings/documents'
import { formatCount } from '@/strings/numbers'

type Chosen = Pick<DocumentFilter, 'kind' | 'state'>
type Props = { userId: string; filter: Chosen; onChange: (filter: Chosen) => void }

const kinds = Object.keys(documentKindPlurals) as (keyof typeof documentKindPlurals)[]

export function KindChips({ userId, filter: { kind, state }, onChange }: Props) {
  const { data: counts } = useQuery(documentCountsQuery(userId))
  // The address follows in a transition; a press must not wait for it.
  const [shown, show] = useOptimistic<Chosen>({ kind, state })
  const choose = (part: Partial<Chosen>) =>
    startTransition(() => {
      const next = { ...shown, ...part }
      show(next)
      onChange(next)
    })
  if (!counts) return null
  const present = kinds.filter((one) => counts.kinds[one] || one === shown.kind)
  const doubtful = counts.states.da_verificare ?? 0
  if (present.length < 2 && doubtful === 0 && !shown.kind) return null
  return (
    <div
      role="group"
      aria-label="Tipi di documento"
      className="-mx-4 flex gap-2 overflow-x-auto px-4 pb-1 sm:mx-0 sm:flex-wrap sm:px-0"
    >
      {doubtful > 0 && (
        <Chip
          label={documentStateLabels.da_verificare}
          count={doubtful}
          isOn={shown.state === 'da_verificare'}
          onPress={(isOn) => choose({ state: isOn ? 'da_verificare' : null })}
        />
      )}
      {present.map((one) => (
        <Chip
          key={one}
          label={documentKindPlurals[one]}
          count={counts.kinds[one] ?? 0}
          isOn={shown.kind === one}
          onPress={(isOn) => choose({ kind: isOn ? one : null })}
        />
      ))}
    </div>
  )
}

type ChipProps = { label: string; count: number; isOn: boolean; onPress: (isOn: boolean) => void }

function Chip({ label, count, isOn, onPress }: ChipProps) {
  return (
    <button
      aria-pressed={isOn}
      onClick={() => onPress(!isOn)}
      className={clsx(
        'flex min-h-11 shrink-0 items-center gap-1.5 rounded-full border px-3.5 text-sm font-medium transition-colors sm:min-h-9',
        isOn ? 'border-primary bg-secondary text-secondary-foreground' : 'bg-card hover:bg-muted',
      )}
    >
      {label}
      <span className={clsx('tabular', !isOn && 'text-muted-foreground')}>{formatCount(count)}</span>
    </button>
  )
}
