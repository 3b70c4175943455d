/** Keeps the end of a growing text in sight as long as the reader is there, and never pulls them away from elsewhere. */
import { useCallback, useEffect, useRef, useState } from 'react'

/** So near to the end one reads the end. */
const NEAR_PX = 48

export function useScrollEnd() {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)

  const onScroll = useCallback(() => {
    const box = frame.current
    if (!box) return
    follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
    setAtEnd(follows.current)
  }, [])

  const toEnd = useCallback(() => {
    follows.current = true
    frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [])

  /** Where one wants to read is not the end. */
  const stay = useCallback(() => {
    follows.current = false
  }, [])

  useEffect(() => {
    const box = frame.current
    const text = content.current
    if (!box || !text) return undefined
    const observer = new ResizeObserver(() => {
      if (follows.current) box.scrollTop = box.scrollHeight
      else setAtEnd(box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX)
    })
    observer.observe(text)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])

  return { frame, content, isAtEnd, onScroll, toEnd, stay }
}
