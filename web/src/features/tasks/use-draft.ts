/** What is being typed into a field, before it is saved. */
import { useEffect, useEffectEvent, useState } from 'react'

type Draft = { text: string; isWhole: boolean }

/**
 * `save` gets what was typed when the field is left or disappears (the «back» of a browser or a phone closes a sheet
 * without leaving its field), unless it is what `value` is already, or was not whole.
 */
export function useDraft(value: string, save: (text: string) => void) {
  const [draft, setDraft] = useState<Draft | null>(null)

  function leave() {
    setDraft(null)
    if (draft?.isWhole && draft.text !== value) save(draft.text)
  }

  const onGone = useEffectEvent(leave)
  useEffect(() => () => onGone(), [])

  return {
    text: draft?.text ?? value,
    isTyped: draft !== null,
    write: (text: string, isWhole: boolean) => setDraft({ text, isWhole }),
    leave,
    discard: () => setDraft(null),
  }
}
