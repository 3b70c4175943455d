/** A finger that rests: on a touch screen what the right button is for a mouse. */
import { type MouseEvent, type PointerEvent, useRef } from 'react'

const REST_MS = 450
const STILL_PX = 10

/** Handlers for the pressed element; the click at the end of a long press is swallowed. A mouse never presses long. */
export function useLongPress(onLongPress: () => void) {
  const press = useRef<{ timer: number; x: number; y: number } | null>(null)
  const wasLong = useRef(false)

  function end() {
    if (press.current) window.clearTimeout(press.current.timer)
    press.current = null
  }

  return {
    onPointerDown({ pointerType, clientX, clientY }: PointerEvent) {
      wasLong.current = false
      if (pointerType === 'mouse') return
      const timer = window.setTimeout(() => {
        wasLong.current = true
        onLongPress()
      }, REST_MS)
      press.current = { timer, x: clientX, y: clientY }
    },
    onPointerMove({ clientX, clientY }: PointerEvent) {
      const { x, y } = press.current ?? { x: clientX, y: clientY }
      if (Math.hypot(clientX - x, clientY - y) > STILL_PX) end()
    },
    onPointerUp: end,
    onPointerCancel: end,
    onContextMenu(event: MouseEvent) {
      // The browser's own answer to the same gesture.
      if (press.current) event.preventDefault()
    },
    onClickCapture(event: MouseEvent) {
      if (wasLong.current) event.stopPropagation()
      wasLong.current = false
    },
  }
}
