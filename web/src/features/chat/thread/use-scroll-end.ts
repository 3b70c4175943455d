/** Keeps the end of a growing text in sight as long as the reader is there, and never pulls them away from elsewhere. */
import { useCallback, useEffect, useRef, useState } from 'react'

/** So near to the end one reads the end. */
const NEAR_PX = 48

const distanceToEnd = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight

export function useScrollEnd() {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const before = useRef({ top: 0, height: 0 })
  const [isAtEnd, setAtEnd] = useState(true)

  const onScroll = useCallback(() => {
    const box = frame.current
    if (!box) return
    const isNear = distanceToEnd(box) < NEAR_PX
    // What grew or was drawn narrower moves the end away; only who scrolls up leaves it.
    const isLeaving = box.scrollTop < before.current.top && box.scrollHeight === before.current.height
    if (isNear) follows.current = true
    else if (isLeaving) follows.current = false
    before.current = { top: box.scrollTop, height: box.scrollHeight }
    setAtEnd(isNear)
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
      else setAtEnd(distanceToEnd(box) < NEAR_PX)
      before.current = { top: box.scrollTop, height: box.scrollHeight }
    })
    observer.observe(text)
    observer.observe(box)
    return () => observer.disconnect()
  }, [])

  return { frame, content, isAtEnd, onScroll, toEnd, stay }
}
