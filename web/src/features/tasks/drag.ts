/** What the board and the calendar share about dragging. */
import { type DndContextProps, MouseSensor, TouchSensor, useSensor, useSensors } from '@dnd-kit/core'

/** A finger that stays is a drag, one that moves on scrolls; a click is no drag. */
export function useDragSensors() {
  return useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 200, tolerance: 8 } }),
  )
}

const nothing = () => undefined

/** Instead of the library's English words: the views say by themselves where a task went. */
export const ownWords: NonNullable<DndContextProps['accessibility']> = {
  announcements: { onDragStart: nothing, onDragOver: nothing, onDragEnd: nothing, onDragCancel: nothing },
  screenReaderInstructions: { draggable: 'Alt e una freccia spostano l’attività.' },
}
