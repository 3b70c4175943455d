import type { ComponentProps } from 'react'

import { cn } from '@/lib/cn'

export function Input({ className, type, ...props }: ComponentProps<'input'>) {
  return (
    <input
      type={type}
      data-slot="input"
      className={cn(
        // 16 px keeps iOS from zooming into the field.
        'h-11 w-full min-w-0 rounded-md border border-input bg-card px-3 text-base text-foreground transition-colors placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:opacity-60',
        'focus-visible:border-primary focus-visible:outline-offset-0 aria-invalid:border-error',
        className,
      )}
      {...props}
    />
  )
}
