/** A sentence with the words that were searched for marked. */
import type { ReactNode } from 'react'

type Props = {
  text: string
  /** Start and end of each marked part, in turns, in the text's own units. */
  marks: readonly number[]
}

export function MarkedText({ text, marks }: Props) {
  const parts: ReactNode[] = []
  let at = 0
  for (let index = 0; index + 1 < marks.length; index += 2) {
    const start = Math.max(marks[index] ?? 0, at)
    const end = Math.min(marks[index + 1] ?? 0, text.length)
    if (end <= start) continue
    parts.push(
      text.slice(at, start),
      <mark key={start} className="rounded-xs bg-warning/30 text-foreground">
        {text.slice(start, end)}
      </mark>,
    )
    at = end
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  )
}
