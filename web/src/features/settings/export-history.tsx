/** The archives of before: what was in them, whether they can be downloaded, and how to check a download. */
import { DownloadIcon, PackageIcon } from 'lucide-react'
import { toast } from 'sonner'

import { CopyButton } from '@/components/copy-button'
import { Button } from '@/components/ui/button'
import { type DataExport, isUnderWay, useOpenExport } from '@/data/data-exports'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { FunctionError } from '@/lib/server-errors'
import { exportContent, exportHint, exportTitle } from '@/strings/data-exports'
import { fullDate } from '@/strings/dates'

type Query = { data: DataExport[] | undefined; isError: boolean; refetch: () => unknown }

export function ExportHistory({ userId, query }: { userId: string; query: Query }) {
  const open = useOpenExport(userId)

  async function download(id: string): Promise<void> {
    try {
      // The browser saves it, shows how far it is, and this page stays.
      window.location.assign(await open.mutateAsync(id))
    } catch (error) {
      toast.error(
        error instanceof FunctionError
          ? `${error.message}.`
          : 'Il download non è partito: controlla il collegamento e riprova.',
      )
    }
  }

  return (
    <section className="grid gap-1 border-t pt-4">
      <h3 className="text-sm font-semibold">I tuoi archivi</h3>
      <EntryList
        query={{ ...query, data: query.data?.filter((each) => !isUnderWay(each)) }}
        label="I tuoi archivi"
        empty="Nessuno: il primo che prepari si scarica da qui per 7 giorni."
        error="Non riusciamo a leggere i tuoi archivi in questo momento."
        renderRow={(row) => (
          <Entry
            key={row.id}
            icon={PackageIcon}
            title={exportTitle(row)}
            text={
              <span className="grid gap-1">
                <span>
                  <time dateTime={row.created_at}>{fullDate(row.created_at)}</time> · {exportContent(row)}
                </span>
                {exportHint(row) && <span>{exportHint(row)}</span>}
                {row.sha256 && <span className="font-mono text-xs break-all">SHA-256 {row.sha256}</span>}
              </span>
            }
          >
            {row.state === 'pronto' && (
              <div className="flex flex-wrap gap-2 pl-3 sm:pl-0">
                {row.sha256 && <CopyButton text={row.sha256} label="Copia SHA-256" />}
                <Button size="sm" disabled={open.isPending} onClick={() => void download(row.id)}>
                  <DownloadIcon aria-hidden />
                  Scarica
                </Button>
              </div>
            )}
          </Entry>
        )}
      />
    </section>
  )
}
