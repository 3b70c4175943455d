import { useEffect, useEffectEvent, useRef, useState } from 'react'

import { drawPage, type Pdf } from '@/lib/pdf'

type Props = {
  pdf: Pdf
  no: number
  width: number
  /** Height by width, as soon as it is known. */
  onShape: (no: number, ratio: number) => void
}

/** One page of a PDF, drawn anew for every width; the former picture stays until the next is there. */
export function PdfPage({ pdf, no, width, onShape }: Props) {
  const holder = useRef<HTMLDivElement>(null)
  const [isBroken, setBroken] = useState(false)
  const tellShape = useEffectEvent(onShape)

  useEffect(() => {
    let isOver = false
    let stop: (() => void) | undefined

    async function draw() {
      const page = await pdf.getPage(no)
      if (isOver) return
      const canvas = document.createElement('canvas')
      canvas.className = 'block size-full'
      const drawing = drawPage(page, canvas, width)
      stop = drawing.stop
      tellShape(no, canvas.height / canvas.width)
      await drawing.done
      holder.current?.replaceChildren(canvas)
      setBroken(false)
    }
    draw().catch(() => {
      // Stopped drawings fail too.
      if (!isOver) setBroken(true)
    })
    return () => {
      isOver = true
      stop?.()
    }
  }, [pdf, no, width])

  return (
    <>
      <div ref={holder} className="size-full" />
      {isBroken && (
        <p className="absolute inset-x-4 top-4 text-sm text-[#1c1b17]">Questa pagina non si riesce a disegnare.</p>
      )}
    </>
  )
}
