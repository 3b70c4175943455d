import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

const variants = {
  default: 'bg-primary text-primary-foreground',
  secondary: 'bg-secondary text-secondary-foreground',
  notice: 'bg-terracotta text-terracotta-foreground',
  outline: 'border border-border text-muted-foreground',
}

type BadgeProps = ComponentProps<'span'> & { variant?: keyof typeof variants }

/** Without tailwind-merge, which the public pages do not load: a class beside these adds, it never replaces. */
export function Badge({ className, variant = 'default', ...props }: BadgeProps) {
  return (
    <span
      data-slot="badge"
      className={clsx(
        'inline-flex w-fit shrink-0 items-center justify-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap tabular',
        variants[variant],
        className,
      )}
      {...props}
    />
  )
}
