/** Routes × widths or browsers: how the newest automated run of each cell ended, and what admins say about it. */
import { useQuery } from '@tanstack/react-query'
import { ClipboardCheckIcon, UploadIcon } from 'lucide-react'
import { useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { type QaCell, type QaKind, qaQuery, type QaRun, type QaState } from '@/data/admin-qa'
import { ImportQaDialog } from '@/features/admin/import-qa-dialog'
import { QaCellDialog } from '@/features/admin/qa-cell-dialog'
import { QaRequestBar } from '@/features/admin/qa-request'
import { ReportTable } from '@/features/admin/report-table'
import { TableFrame } from '@/features/admin/table-frame'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'
import { qaChecks, qaPlace, qaStateText } from '@/strings/admin-qa'

const dots: Record<QaState, string> = {
  passed: 'bg-success',
  failed: 'bg-error',
  accepted: 'bg-warning',
  skipped: 'border border-muted-foreground',
}

type Props = { kind: QaKind; title: string; /** Which command fills it. */ empty: string }

export function QaMatrix({ kind, title, empty }: Props) {
  const { data, isError, refetch } = useQuery(qaQuery(kind))
  const [opened, setOpened] = useState<Pick<QaCell, 'route' | 'place'>>()
  const [isImporting, setImporting] = useState(false)
  if (isError && !data)
    return <LoadError text="Non siamo riusciti a leggere le prove." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  const { cells, request, runs } = data
  const cell = opened && cells.find(({ route, place }) => route === opened.route && place === opened.place)
  return (
    <>
      <QaRequestBar kind={kind} request={request} runs={runs}>
        <Button variant="outline" onClick={() => setImporting(true)}>
          <UploadIcon aria-hidden /> Importa esito
        </Button>
      </QaRequestBar>
      {cells.length === 0 ? (
        <EmptyState icon={ClipboardCheckIcon} title="Nessuna prova ancora" text={empty} />
      ) : (
        <>
          <ReportTable
            title="Da risolvere"
            rows={cells
              .filter(({ state }) => state === 'failed')
              .flatMap(({ route, place, items }) =>
                items
                  .filter(({ outcome }) => outcome === 'failed')
                  .map(({ check, note, has_picture: hasPicture }) => ({
                    route,
                    qa_place: qaPlace(kind, place),
                    qa_check: qaChecks[check],
                    note,
                    place,
                    has_picture: hasPicture,
                  })),
              )}
            shown={['route', 'qa_place', 'qa_check', 'note', 'has_picture']}
            empty="Niente da risolvere."
            actions={[
              {
                label: 'Apri',
                isFor: () => true,
                onAct: ({ route, place }) => setOpened({ route: String(route), place: String(place) }),
              },
            ]}
          />
          <Matrix kind={kind} title={title} cells={cells} onOpen={setOpened} />
          <div id="ultime-prove" className="scroll-mt-20">
            <ReportTable
              title="Ultime prove"
              rows={runs.map(runRow)}
              shown={['started_at', 'browser', 'passed', 'failed_checks', 'source', 'release', 'commit']}
              empty="Nessuna prova."
            />
          </div>
        </>
      )}
      {cell && <QaCellDialog kind={kind} cell={cell} onClose={() => setOpened(undefined)} />}
      {isImporting && <ImportQaDialog onClose={() => setImporting(false)} />}
    </>
  )
}

const runRow = ({ started_at: startedAt, browser, browser_version: version, passed, failed, ...run }: QaRun) => ({
  started_at: startedAt,
  browser: qaPlace('browser', `${browser} ${version}`),
  passed,
  failed_checks: failed,
  source: run.source,
  release: run.release,
  commit: run.commit?.slice(0, 8) ?? null,
})

type MatrixProps = {
  kind: QaKind
  title: string
  cells: QaCell[]
  onOpen: (cell: QaCell) => void
}

function Matrix({ kind, title, cells, onOpen }: MatrixProps) {
  const places = [...new Set(cells.map(({ place }) => place))].toSorted((one, other) =>
    one.localeCompare(other, 'it', { numeric: true }),
  )
  const routes = [...new Set(cells.map(({ route }) => route))]
  const at = (route: string, place: string) => cells.find((cell) => cell.route === route && cell.place === place)
  const names = places.map((place) => qaPlace(kind, place))

  function download() {
    const rows = routes.map((route) => [
      route,
      ...places.map((place) => {
        const cell = at(route, place)
        return cell ? qaStateText(cell) : ''
      }),
    ])
    saveFile(`${title}.csv`, csvOf(['Pagina', ...names], rows), 'text/csv')
  }

  return (
    <TableFrame title={title} head={['Pagina', ...names]} onDownload={download}>
      {routes.map((route) => (
        <tr key={route}>
          <th scope="row" className="max-w-64 truncate px-3 py-1 text-left font-medium" title={route}>
            {route}
          </th>
          {places.map((place, number) => {
            const cell = at(route, place)
            return (
              <td key={place} className="px-1 py-1">
                {cell ? (
                  <button
                    type="button"
                    data-state={cell.state}
                    aria-label={`${route}, ${names[number]}: ${qaStateText(cell)}`}
                    onClick={() => onOpen(cell)}
                    className="flex min-h-11 w-full items-center gap-2 rounded-md px-2 text-left whitespace-nowrap hover:bg-muted focus-visible:-outline-offset-2"
                  >
                    <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${dots[cell.state]}`} />
                    {qaStateText(cell)}
                  </button>
                ) : (
                  <span className="px-2 text-muted-foreground">–</span>
                )}
              </td>
            )
          })}
        </tr>
      ))}
    </TableFrame>
  )
}
