import type { ComponentProps } from 'react'

import { cn } from '@/lib/cn'

/** The browser's own: the phone shows its wheel, the keyboard jumps by letters (and Radix' breaks our policy). */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return (
    <select
      data-slot="select"
      className={cn(
        'h-11 w-full min-w-0 rounded-md border border-input bg-card px-2.5 text-base text-foreground disabled:cursor-not-allowed disabled:opacity-60',
        'focus-visible:border-primary focus-visible:outline-offset-0 aria-invalid:border-error',
        className,
      )}
      {...props}
    />
  )
}
