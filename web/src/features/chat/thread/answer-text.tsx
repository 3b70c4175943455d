/** An answer as it reads: Markdown, its citations as chips, what no record supports underlined. */
import { createElement, Fragment, memo, useMemo } from 'react'

import { Markdown } from '@/components/markdown'
import type { ChatRef } from '@/data/chat'
import { Citation } from '@/features/chat/citations/citation'
import { type Piece, piecesOf, withMarks, withoutMarks } from '@/features/chat/thread/marked-text'

type Props = { content: string; refs: readonly ChatRef[]; unverified?: readonly (readonly [number, number])[] }

export const AnswerText = memo(function AnswerText({ content, refs, unverified }: Props) {
  const drawWords = useMemo(() => {
    const sources = new Map(refs.map((ref) => [ref.n, ref]))
    const draw = (piece: Piece) => {
      if (piece.kind === 'text') return piece.text
      if (piece.kind === 'doubted') return <Doubted text={piece.text} />
      const source = sources.get(piece.n)
      return source ? <Citation source={source} /> : null
    }
    return (words: string, isCode: boolean) =>
      isCode ? withoutMarks(words) : createElement(Fragment, null, ...piecesOf(words).map(draw))
  }, [refs])
  return (
    <>
      <Markdown text={withMarks(content, unverified)} drawWords={drawWords} leadsInside className="gap-3" />
      {unverified && unverified.length > 0 && (
        <p className="text-xs text-muted-foreground">
          <Doubted text="Così" /> è segnato ciò che non viene dai tuoi dati: verificalo.
        </p>
      )}
    </>
  )
})

function Doubted({ text }: { text: string }) {
  return (
    <span title="Non viene dai tuoi dati: verificalo" className="underline decoration-dotted underline-offset-4">
      {text}
    </span>
  )
}
