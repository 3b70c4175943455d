/** Tables of the admin screens: with title and CSV, or the table alone. */
import { DownloadIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'

type Props = {
  title: string
  head: readonly string[]
  /** Stands after the columns of `head`. */
  lastHead?: ReactNode
  /** Stands instead of a table without rows. */
  empty?: string | false
  onDownload: () => void
  /** The rows. */
  children: ReactNode
}

export function TableFrame({ title, head, lastHead, empty = false, onDownload, children }: Props) {
  return (
    <section aria-label={title} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {empty === false && (
          <Button variant="outline" size="sm" onClick={onDownload}>
            <DownloadIcon aria-hidden />
            CSV
          </Button>
        )}
      </div>
      {empty !== false ? (
        <p className="rounded-md border px-4 py-6 text-sm text-muted-foreground">{empty}</p>
      ) : (
        <WideTable title={title} head={head} lastHead={lastHead}>
          {children}
        </WideTable>
      )}
    </section>
  )
}

/** A table whose columns scroll under a narrow screen. */
export function WideTable({
  title,
  head,
  lastHead,
  children,
}: Pick<Props, 'title' | 'head' | 'lastHead' | 'children'>) {
  return (
    <div
      role="group"
      aria-label={`${title}, tabella`}
      // The arrow keys scroll it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="relative overflow-x-auto rounded-md border bg-card"
    >
      <table className="w-full text-sm tabular">
        <thead>
          <tr className="border-b text-left text-xs text-muted-foreground">
            {head.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
            {lastHead}
          </tr>
        </thead>
        <tbody className="divide-y">{children}</tbody>
      </table>
    </div>
  )
}

/** Over the buttons of each row, in sight however far the table reaches. */
export function ActionsHead() {
  return (
    <th scope="col" className="sticky right-0 bg-card px-3 py-2">
      <span className="sr-only">Azioni</span>
    </th>
  )
}
