/** Subject and text of a mail that is written: typed, or replaced by a template without losing what was typed. */
import { useState } from 'react'

export type LetterText = { subject: string; body: string }

type State = {
  text: LetterText
  /** What the last template made of it. */
  filled: LetterText | null
  /** What the person had before templates. */
  before: LetterText | null
}

const isSame = (a: LetterText, b: LetterText | null): boolean => a.subject === b?.subject && a.body === b.body

export function useLetterText(initial: LetterText) {
  const [{ text, before }, setState] = useState<State>({ text: initial, filled: null, before: null })
  const isWorthKeeping = ({ subject, body }: LetterText) => body.trim() !== '' || subject !== initial.subject

  return {
    text,
    /** Whether there is a text to put back. */
    hasBefore: before !== null,
    change: (change: Partial<LetterText>) => setState((state) => ({ ...state, text: { ...state.text, ...change } })),
    /** Puts the text of a template in its place; an empty subject leaves the one that is there. */
    replace: ({ subject, body }: { subject: string | null; body: string }) =>
      setState((state) => {
        const filled = { subject: subject || state.text.subject, body }
        const isTyped = !isSame(state.text, state.filled) && isWorthKeeping(state.text)
        return { text: filled, filled, before: isTyped ? state.text : state.before }
      }),
    putBack: () => setState((state) => ({ text: state.before ?? state.text, filled: null, before: null })),
  }
}

export type Writing = ReturnType<typeof useLetterText>
