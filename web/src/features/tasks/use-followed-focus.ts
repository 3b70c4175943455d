import { type RefObject, useEffect, useRef } from 'react'

/**
 * Keeps the focus on a task that was moved by keyboard: it is drawn anew in its place, some time after the key.
 * Answers the function that is told which one.
 */
export function useFollowedFocus(container: RefObject<HTMLElement | null>): (taskId: string) => void {
  const followed = useRef<string | null>(null)
  useEffect(() => {
    // Whoever has gone on meanwhile is left alone.
    if (!followed.current || document.activeElement !== document.body) return
    container.current?.querySelector<HTMLElement>(`[data-task="${followed.current}"]`)?.focus()
  })
  return (taskId) => {
    followed.current = taskId
  }
}
