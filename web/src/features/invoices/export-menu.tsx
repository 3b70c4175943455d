import { useMutation } from '@tanstack/react-query'
import { DownloadIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Spinner } from '@/components/ui/spinner'
import { invoicesExport, type RegisterWish } from '@/data/invoices'
import { saveBlob } from '@/lib/save-file'

/** The table for the accountant: the invoices of the tab and the period, paid or not. */
export function ExportMenu({ wish }: { wish: RegisterWish }) {
  const save = useMutation({
    mutationFn: (format: 'csv' | 'xlsx') => invoicesExport(wish, format),
    onSuccess: (blob, format) =>
      saveBlob(`fatture-${wish.direction === 'attiva' ? 'attive' : 'passive'}.${format}`, blob),
    onError: () => toast.error('Non siamo riusciti a preparare il file: riprova'),
  })
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" disabled={save.isPending}>
          {save.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />} Esporta
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={() => save.mutate('xlsx')}>Excel, per il commercialista</DropdownMenuItem>
        <DropdownMenuItem onSelect={() => save.mutate('csv')}>CSV</DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
