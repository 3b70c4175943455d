import { CheckIcon } from 'lucide-react'

import { cn } from '@/lib/cn'

type Props = { title: string; isDone: boolean; isUrgent?: boolean; onToggle: () => void }

/** The round box in front of a task. */
export function Tick({ title, isDone, isUrgent = false, onToggle }: Props) {
  return (
    <button
      role="checkbox"
      aria-checked={isDone}
      aria-label={title}
      title={isDone ? 'Riapri' : 'Completa'}
      onClick={onToggle}
      className="group grid size-11 shrink-0 place-items-center rounded-md focus-visible:-outline-offset-2"
    >
      <span
        className={cn(
          'grid size-5 place-items-center rounded-full border transition-colors group-hover:border-primary',
          isDone ? 'border-primary bg-primary text-primary-foreground' : 'border-input text-transparent',
          isUrgent && !isDone && 'border-2 border-terracotta',
        )}
      >
        <CheckIcon aria-hidden className="size-3.5" />
      </span>
    </button>
  )
}
