import { useMutation } from '@tanstack/react-query'
import { DownloadIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Spinner } from '@/components/ui/spinner'
import { invoicesExport, type RegisterWish } from '@/data/invoices'
import { saveBlob } from '@/lib/save-file'

type File = { name: string; format: 'csv' | 'xlsx'; wish: Parameters<typeof invoicesExport>[0] }

/** Tables of the invoices of the tab and the period, paid or not. */
export function ExportMenu({ wish }: { wish: RegisterWish }) {
  const save = useMutation({
    mutationFn: ({ wish: wanted, format }: File) => invoicesExport(wanted, format),
    onSuccess: (blob, { name, format }) => saveBlob(`${name}.${format}`, blob),
    onError: () => toast.error('Non siamo riusciti a preparare il file: riprova'),
  })
  const { direction, from, to } = wish
  const shown = { name: direction === 'attiva' ? 'fatture-attive' : 'fatture-passive', wish: { direction, from, to } }
  const what = direction === 'attiva' ? 'Emesse' : 'Ricevute'
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" disabled={save.isPending}>
          {save.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />} Esporta
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={() => save.mutate({ ...shown, format: 'xlsx' })}>
          {what} di questo periodo, in Excel
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={() => save.mutate({ ...shown, format: 'csv' })}>
          {what} di questo periodo, in CSV
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
