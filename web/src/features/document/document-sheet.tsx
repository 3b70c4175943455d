/** The full sheet: the pages or the paper on the left, what is known on the right; on a phone that comes from below. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { PanelBottomOpenIcon } from 'lucide-react'
import { useState } from 'react'

import { Choice } from '@/components/choice'
import { Button } from '@/components/ui/button'
import { Sheet, SheetContent, SheetDescription, SheetTitle } from '@/components/ui/sheet'
import { outlineQuery, type WholeDocument } from '@/data/document'
import { invoicesOfQuery } from '@/data/invoices'
import { DocumentHeader } from '@/features/document/document-header'
import { NoPages } from '@/features/document/no-pages'
import { InvoicePapers } from '@/features/document/paper/invoice-papers'
import { Panel } from '@/features/document/panel'
import type { Place } from '@/features/document/places'
import { ReadingState } from '@/features/document/reading-state'
import { useFind } from '@/features/document/use-find'
import { lookOf, Viewer } from '@/features/document/viewer'
import { useMedia } from '@/lib/use-media'

type Props = { document: WholeDocument; userId: string }

export function DocumentSheet({ document, userId }: Props) {
  const isWide = useMedia('(min-width: 64rem)')
  const { data: outline = [] } = useQuery(outlineQuery(userId, document))
  const { data: invoices = [] } = useQuery(invoicesOfQuery(userId, document.id))
  const { find, target, marksOf, show } = useFind(userId, document.id)
  const [view, setView] = useState<'paper' | 'pages' | null>(find.text || target ? 'pages' : null)
  const [isOpen, setOpen] = useState(false)

  const look = lookOf(document)
  const papers = invoices.filter(({ source, content }) => source === 'fatturapa' && content)
  const isPaper = papers.length > 0 && (view !== 'pages' || !look)

  function onShow(place: Place) {
    show(place)
    setView('pages')
    setOpen(false)
  }

  const panel = <Panel document={document} userId={userId} invoices={invoices} onShow={onShow} />
  return (
    <>
      <DocumentHeader document={document} userId={userId} />
      <ReadingState
        document={document}
        userId={userId}
        lost={outline.filter((page) => page.state === 'errore').length}
      />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_27rem] print:block">
        <div className={clsx('grid min-w-0 grid-cols-1 gap-2', !isPaper && 'lg:sticky lg:top-17')}>
          {papers.length > 0 && look && (
            <Choice
              label="Vista"
              value={isPaper ? 'paper' : 'pages'}
              options={[
                ['paper', 'Come su carta'],
                ['pages', look === 'text' ? 'Testo' : 'Originale'],
              ]}
              onChange={setView}
            />
          )}
          {isPaper && <InvoicePapers invoices={papers} document={document} />}
          {!isPaper && look && (
            <div className="flex h-[calc(100dvh-15rem)] min-h-96 flex-col overflow-hidden rounded-md border bg-muted lg:h-[calc(100dvh-11.5rem)]">
              <Viewer
                document={document}
                look={look}
                outline={outline}
                find={find}
                target={target}
                marksOf={marksOf}
                onTarget={show}
              />
            </div>
          )}
          {!isPaper && !look && <NoPages document={document} />}
        </div>
        {isWide ? (
          <aside aria-label="Dati del documento" className="grid min-w-0 grid-cols-1 gap-4 print:hidden">
            {panel}
          </aside>
        ) : (
          <Sheet open={isOpen} onOpenChange={setOpen}>
            <Button
              className="sticky bottom-[calc(5rem+env(safe-area-inset-bottom))] z-30 justify-self-center shadow-float print:hidden"
              onClick={() => setOpen(true)}
            >
              <PanelBottomOpenIcon aria-hidden /> Dati e collegamenti
            </Button>
            <SheetContent>
              <SheetTitle className="pr-10">Dati e collegamenti</SheetTitle>
              <SheetDescription className="sr-only">{document.filename}</SheetDescription>
              {panel}
            </SheetContent>
          </Sheet>
        )}
      </div>
    </>
  )
}
