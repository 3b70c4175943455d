/** The electronic invoices of a file as on paper, each in a tab when there are several; to print and to save. */
import { useMutation } from '@tanstack/react-query'
import { DownloadIcon, PrinterIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { Tabs } from '@/components/ui/tabs'
import type { WholeDocument } from '@/data/document'
import { downloadLink } from '@/data/documents'
import { invoicePdf, type WholeInvoice } from '@/data/invoices'
import { InvoicePaper } from '@/features/document/paper/invoice-paper'
import { saveBlob, saveFrom } from '@/lib/save-file'

type Props = { invoices: WholeInvoice[]; document: WholeDocument }

const failed = () => toast.error('Non siamo riusciti a scaricare: riprova')

export function InvoicePapers({ invoices, document }: Props) {
  const papers = invoices.map((invoice) => ({
    title: invoice.number ?? `Fattura ${invoice.body_no}`,
    panel: <Paper invoice={invoice} document={document} />,
  }))
  if (papers.length === 1) return papers[0]?.panel
  return (
    <div className="grid gap-2 [&>[role=tablist]]:max-w-none [&>[role=tablist]]:overflow-x-auto [&>[role=tablist]]:print:hidden">
      <Tabs label="Fatture del file" tabs={papers} />
    </div>
  )
}

function Paper({ invoice, document }: { invoice: WholeInvoice; document: WholeDocument }) {
  const name = `Fattura ${invoice.number ?? ''} ${invoice.counterparty_name ?? ''}`
    .replaceAll(/[\\/:*?"<>|]+/g, '-')
    .trim()
  const pdf = useMutation({
    mutationFn: () => invoicePdf(invoice.id),
    onSuccess: (blob) => saveBlob(`${name}.pdf`, blob),
    onError: failed,
  })
  if (!invoice.content) return null
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="outline" size="sm" disabled={pdf.isPending} onClick={() => pdf.mutate()}>
          {pdf.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />} Scarica PDF
        </Button>
        <Button
          variant="outline"
          size="sm"
          onClick={() => void downloadLink(document).then((url) => saveFrom(url, document.filename), failed)}
        >
          <DownloadIcon aria-hidden /> Scarica XML
        </Button>
        <Button variant="ghost" size="sm" onClick={() => window.print()}>
          <PrinterIcon aria-hidden /> Stampa
        </Button>
      </div>
      <InvoicePaper content={invoice.content} findings={invoice.findings} />
    </div>
  )
}
