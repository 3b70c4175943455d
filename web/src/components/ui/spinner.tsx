import { clsx } from 'clsx'
import { LoaderCircleIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

export function Spinner({ className, ...props }: ComponentProps<'svg'>) {
  return (
    <LoaderCircleIcon
      role="status"
      aria-label="Caricamento"
      className={clsx('animate-spin', className ?? 'size-5')}
      {...props}
    />
  )
}
