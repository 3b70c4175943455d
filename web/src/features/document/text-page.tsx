import { clsx } from 'clsx'
import type { ReactNode } from 'react'

import type { Mark } from '@/features/document/places'

type Piece = { text: string; tone: Mark['tone'] | null }

/** Cuts `text` where marks begin and end; words are counted as the server counted them, between blanks. */
export function piecesOf(text: string, marks: Mark[]): Piece[] {
  const words = Array.from(text.matchAll(/\S+/g), (word) => [word.index, word.index + word[0].length] as const)
  const spans = marks
    .flatMap(({ tone, span }) => {
      const [from] = words[span?.[0] ?? -1] ?? []
      const [, to] = words[span?.[1] ?? -1] ?? []
      return from === undefined || to === undefined ? [] : [{ from, to, tone }]
    })
    // Where two overlap the one that is looked at wins.
    .toSorted((a, b) => a.from - b.from || (a.tone === 'loud' ? -1 : 1))
  const pieces: Piece[] = []
  let end = 0
  for (const { from, to, tone } of spans) {
    if (from < end) continue
    if (from > end) pieces.push({ text: text.slice(end, from), tone: null })
    pieces.push({ text: text.slice(from, to), tone })
    end = to
  }
  if (end < text.length) pieces.push({ text: text.slice(end), tone: null })
  return pieces
}

/** A page that is only text: of a letter, a mail, a note. */
export function TextPage({ text, marks }: { text: string; marks: Mark[] }): ReactNode {
  return (
    <p className="px-[6%] py-8 text-sm break-words whitespace-pre-wrap text-[#1c1b17] sm:text-base">
      {piecesOf(text, marks).map(({ text: piece, tone }, index) =>
        tone ? (
          <mark
            // The pieces stand in their order and have no other name.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            data-mark={tone}
            ref={tone === 'loud' ? (element) => element?.scrollIntoView({ block: 'center' }) : undefined}
            className={clsx('rounded-[2px] bg-[#ffd54a]/60 text-[#1c1b17]', tone === 'loud' && 'ring-2 ring-[#c4532f]')}
          >
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </p>
  )
}
