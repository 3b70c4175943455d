/** Single-key shortcuts of a page (LAYOUT-11). */
import { useEffect, useEffectEvent } from 'react'

/** Whether letters go into the element that has the focus; a box to tick takes none. */
function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(?:checkbox|radio|button|submit)$/.test(target.type)
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Runs `action` when `key` is pressed alone, outside of fields. */
export function useShortcut(key: string, action: () => void): void {
  const run = useEffectEvent(action)
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      // What an open menu or dialog has answered is not for the page below it.
      if (event.defaultPrevented) return
      if (event.key !== key || event.metaKey || event.ctrlKey || event.altKey || typing(event.target)) return
      event.preventDefault()
      run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [key])
}
