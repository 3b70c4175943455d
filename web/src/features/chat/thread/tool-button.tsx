import type { LucideIcon } from 'lucide-react'
import { clsx } from 'clsx'

type Props = {
  icon: LucideIcon
  label: string
  isPressed?: boolean
  disabled?: boolean
  onClick: () => void
}

/** One of the small tools under a message. */
export function ToolButton({ icon: Icon, label, isPressed, disabled = false, onClick }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={disabled}
      onClick={onClick}
      className={clsx(
        'grid size-9 place-items-center rounded-md text-muted-foreground transition-colors hover:bg-muted hover:text-foreground disabled:pointer-events-none disabled:opacity-40 max-sm:size-11',
        isPressed && 'text-primary',
      )}
    >
      <Icon aria-hidden className={clsx('size-4', isPressed && 'fill-current')} />
    </button>
  )
}
