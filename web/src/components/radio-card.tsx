import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

type Props = Omit<ComponentProps<'input'>, 'type' | 'className'> & {
  /** What it says may take several lines, beginning beside the dot. */
  isLong?: boolean
  children: ReactNode
}

/** One of a few answers, as a card that can be hit anywhere: a native radio, so arrow keys and voices work. */
export function RadioCard({ isLong = false, children, ...input }: Props) {
  return (
    <label
      className={clsx(
        'flex min-h-11 min-w-0 cursor-pointer gap-2.5 rounded-md border border-input px-3 text-sm transition-colors hover:bg-muted has-checked:border-primary has-checked:bg-secondary has-checked:text-secondary-foreground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
        isLong ? 'items-start py-2.5' : 'items-center py-2 font-medium',
      )}
    >
      <input {...input} type="radio" className={clsx('size-4 shrink-0 accent-primary', isLong && 'mt-0.5')} />
      {children}
    </label>
  )
}
