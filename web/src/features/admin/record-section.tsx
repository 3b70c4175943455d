/** A record that admins keep by hand: its entries as a table, each with a button that changes it, and one for a new one. */
import type { UseQueryResult } from '@tanstack/react-query'
import { type ComponentType, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import type { ReportRow } from '@/data/admin'
import { ReportTable } from '@/features/admin/report-table'

type Props<Entry> = {
  title: string
  query: UseQueryResult<Entry[]>
  /** Says that the entries cannot be read. */
  failure: string
  rowOf: (entry: Entry) => ReportRow
  /** Keys of the columns, in order. */
  shown: readonly string[]
  empty: string
  changeLabel: string
  addLabel: string
  /** Writes an entry, or a new one. */
  Dialog: ComponentType<{ entry?: Entry | undefined; onClose: () => void }>
}

export function RecordSection<Entry extends { id: number }>({
  title,
  query: { data: entries, isPending, isError, refetch },
  failure,
  rowOf,
  shown,
  empty,
  changeLabel,
  addLabel,
  Dialog,
}: Props<Entry>) {
  const [written, setWritten] = useState<Entry | 'new'>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {isPending && <Skeleton className="h-40" />}
      {isError && !entries && <LoadError text={failure} onRetry={() => void refetch()} />}
      {entries && (
        <ReportTable
          title={title}
          rows={entries.map((entry) => Object.assign({}, rowOf(entry), { id: entry.id }))}
          shown={shown}
          empty={empty}
          actions={[
            {
              label: changeLabel,
              isFor: () => true,
              onAct: ({ id }) => setWritten(entries.find((entry) => entry.id === id)),
            },
          ]}
        />
      )}
      <Button variant="outline" className="justify-self-start" onClick={() => setWritten('new')}>
        {addLabel}
      </Button>
      {written && <Dialog entry={written === 'new' ? undefined : written} onClose={() => setWritten(undefined)} />}
    </div>
  )
}
