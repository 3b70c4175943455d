/** The document as its pages: scrolled, enlarged, searched, with the marked places on them. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useRef, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { originalQuery, type PageOutline, pagePictureQuery, pageTextQuery, type WholeDocument } from '@/data/document'
import { Marks } from '@/features/document/marks'
import { PageStack } from '@/features/document/page-stack'
import { pdfQuery } from '@/features/document/pdf-query'
import { PdfPage } from '@/features/document/pdf-page'
import { PicturePage } from '@/features/document/picture-page'
import { type Mark, type Place } from '@/features/document/places'
import { TextPage } from '@/features/document/text-page'
import { type Find, ViewerBar } from '@/features/document/viewer-bar'
import { useShortcut } from '@/lib/shortcut'

type Props = {
  document: WholeDocument
  outline: PageOutline[]
  find: Find
  target: Place | null
  marksOf: (no: number) => Mark[]
  onTarget: (place: Place) => void
}

export type Look = 'pdf' | 'picture' | 'served' | 'text'

const BROWSER_PICTURES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif'])

/** How a document is shown; null for what has no pages, such as an archive. */
export function lookOf({ mime, pages }: Pick<WholeDocument, 'mime' | 'pages'>): Look | null {
  if (mime === 'application/pdf') return 'pdf'
  if (mime && BROWSER_PICTURES.has(mime)) return 'picture'
  // What the server draws or reads has no pages before it was opened.
  if (!pages) return null
  return mime?.startsWith('image/') ? 'served' : 'text'
}

export function Viewer(props: Props & { look: Look }) {
  const { look, document, outline } = props
  if (look === 'pdf') return <PdfViewer {...props} />
  const count = look === 'picture' ? 1 : Math.max(1, outline.length)
  return (
    <Pages
      {...props}
      count={count}
      renderPage={(no, marks, onShape) => {
        if (look === 'text') return <Text documentId={document.id} no={no} marks={marks} />
        const picture = look === 'picture' ? originalQuery(document) : pagePictureQuery(document.id, no)
        return <PicturePage no={no} picture={picture} onShape={onShape} />
      }}
    />
  )
}

function PdfViewer(props: Props) {
  const { data: pdf, isError, refetch } = useQuery(pdfQuery(props.document))
  if (isError)
    return (
      <div className="p-4">
        <LoadError
          text="Non riusciamo ad aprire questo PDF: forse è protetto o rovinato. L’originale resta conservato e puoi scaricarlo."
          onRetry={() => void refetch()}
        />
      </div>
    )
  if (!pdf) return <Skeleton aria-busy className="m-4 min-h-64 flex-1" />
  return (
    <Pages
      {...props}
      count={pdf.numPages}
      renderPage={(no, _marks, onShape, width) => <PdfPage pdf={pdf} no={no} width={width} onShape={onShape} />}
    />
  )
}

type PagesProps = Props & {
  count: number
  renderPage: (no: number, marks: Mark[], onShape: (no: number, ratio: number) => void, width: number) => ReactNode
}

function Pages({ outline, count, find, target, marksOf, onTarget, renderPage, ...rest }: PagesProps & { look?: Look }) {
  const [page, setPage] = useState(1)
  const [zoom, setZoom] = useState(1)
  const [shapes, setShapes] = useState<ReadonlyMap<number, number>>(new Map())
  const search = useRef<HTMLInputElement>(null)
  const isText = rest.look === 'text'

  const onShape = useCallback((no: number, ratio: number) => {
    setShapes((known) => (known.get(no) === ratio ? known : new Map(known).set(no, ratio)))
  }, [])

  function ratioOf(no: number): number | null {
    if (isText) return null
    const { width, height } = outline[no - 1] ?? {}
    return shapes.get(no) ?? (width && height ? height / width : null)
  }

  function goTo(no: number) {
    if (no >= 1 && no <= count) onTarget({ page: no, boxes: [] })
  }

  useShortcut('/', () => search.current?.focus())
  useShortcut('j', () => goTo(page + 1))
  useShortcut('k', () => goTo(page - 1))
  useShortcut('n', () => find.onMove(1))
  useShortcut('N', () => find.onMove(-1))

  return (
    <>
      <ViewerBar page={page} count={count} zoom={zoom} search={search} find={find} onPage={goTo} onZoom={setZoom} />
      <PageStack
        count={count}
        ratioOf={ratioOf}
        zoom={zoom}
        target={target}
        onPage={setPage}
        renderPage={(no, width) => {
          const ratio = ratioOf(no)
          const marks = marksOf(no)
          return (
            <section
              aria-label={`Pagina ${no}`}
              className="relative overflow-hidden bg-[#ffffff] shadow-sm"
              style={isText ? undefined : { height: (ratio ?? Math.SQRT2) * width }}
            >
              {renderPage(no, marks, onShape, width)}
              {!isText && <Marks marks={marks} />}
            </section>
          )
        }}
      />
    </>
  )
}

function Text({ documentId, no, marks }: { documentId: string; no: number; marks: Mark[] }) {
  const { data, isError, refetch } = useQuery(pageTextQuery(documentId, no))
  if (isError) return <LoadError text="Non riusciamo a leggere questa pagina." onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton aria-busy className="h-96" />
  return <TextPage text={data} marks={marks} />
}
