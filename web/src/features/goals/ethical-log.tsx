/** The ethical log: what was judged, decided and done, with the proof that nothing was changed. */
import { useQuery } from '@tanstack/react-query'
import { DownloadIcon, ShieldCheckIcon, TriangleAlertIcon } from 'lucide-react'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { ethicalLogQuery, type LogEntry, type LogProof, logProofQuery } from '@/data/goals'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'
import { dateAndTime } from '@/strings/dates'
import { longDay } from '@/strings/days'
import { logActions, logOutcome } from '@/strings/goals'
import { countText } from '@/strings/home'

const FIRST = 10
const COLUMNS = [
  'seq',
  'at',
  'action',
  'verdict',
  'human_decision',
  'rules',
  'rule_version',
  'goal_id',
  'step_id',
  'inputs_hash',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof LogEntry)[]

export function EthicalLog({ userId }: { userId: string }) {
  const log = useQuery(ethicalLogQuery(userId))
  const proof = useQuery(logProofQuery(userId))
  if (log.isError && !log.data)
    return <LoadError text="Non riusciamo a leggere il registro etico." onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton aria-busy className="h-40" />
  if (log.data.length === 0) return null
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <CardTitle>Registro etico</CardTitle>
        <Button variant="outline" size="sm" onClick={() => save(log.data)}>
          <DownloadIcon aria-hidden /> CSV
        </Button>
      </div>
      {proof.data && <Proof proof={proof.data} />}
      <Entries entries={log.data} />
    </Card>
  )
}

function save(entries: LogEntry[]): void {
  const rows = entries.map((entry) => COLUMNS.map((column) => String(entry[column] ?? '')))
  saveFile('Registro etico di Socio.csv', csvOf([...COLUMNS], rows), 'text/csv')
}

function Proof({ proof }: { proof: LogProof }) {
  if (!proof.is_whole)
    return (
      <p role="alert" className="flex items-center gap-2 rounded-md bg-error-tint p-3 text-sm">
        <TriangleAlertIcon aria-hidden className="size-5 shrink-0 text-error" />
        La catena non torna{proof.broken_at !== null && ` dalla voce ${proof.broken_at}`}: qualcuno ha cambiato il
        registro.
      </p>
    )
  const last = proof.anchors.at(-1)
  return (
    <p className="flex items-center gap-2 text-sm">
      <ShieldCheckIcon aria-hidden className="size-5 shrink-0 text-primary" />
      <span>
        catena verificata ✓{' '}
        <span className="text-muted-foreground">
          ({countText(proof.entries, 'voce', 'voci')}
          {last && `, firmata fino al ${longDay(last.day)}`})
        </span>
      </span>
    </p>
  )
}

function Entries({ entries }: { entries: LogEntry[] }) {
  const [action, setAction] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const kinds = [...new Set(entries.map((entry) => entry.action))]
  const wanted = entries.filter((entry) => !action || entry.action === action)
  return (
    <>
      <label className="flex items-center gap-2 text-sm">
        Mostra
        <select
          value={action}
          onChange={({ target }) => setAction(target.value)}
          className="min-h-11 rounded-md border border-input bg-background px-2"
        >
          <option value="">tutto</option>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {logActions[kind] ?? kind}
            </option>
          ))}
        </select>
      </label>
      <ol aria-label="Registro etico" className="divide-y text-sm">
        {wanted.slice(0, showsAll ? undefined : FIRST).map((entry) => (
          <li key={entry.id} className="flex flex-wrap items-baseline justify-between gap-x-3 py-2">
            <span>
              {logActions[entry.action] ?? entry.action}: {logOutcome(entry.verdict, entry.human_decision) || 'fatto'}
              {entry.rules.length > 0 && <span className="text-muted-foreground"> ({entry.rules.join(', ')})</span>}
            </span>
            <time dateTime={entry.at} className="text-muted-foreground">
              {dateAndTime(entry.at)}
            </time>
          </li>
        ))}
      </ol>
      {wanted.length > FIRST && (
        <Button variant="outline" size="sm" className="self-start" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Solo le ultime' : `Tutte (${wanted.length})`}
        </Button>
      )}
    </>
  )
}
