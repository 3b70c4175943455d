import type { ComponentProps } from 'react'
import { Link } from 'react-router'

import { cn } from '@/lib/cn'

/** A link inside a sentence or alone on its line, tall enough for a thumb. */
export function TextLink({ className, ...props }: ComponentProps<typeof Link>) {
  return (
    <Link
      className={cn(
        'inline-flex min-h-11 items-center font-semibold text-primary underline-offset-4 hover:underline',
        className,
      )}
      {...props}
    />
  )
}
