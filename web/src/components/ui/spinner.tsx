import { LoaderCircleIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

import { cn } from '@/lib/cn'

export function Spinner({ className, ...props }: ComponentProps<'svg'>) {
  return (
    <LoaderCircleIcon
      role="status"
      aria-label="Caricamento"
      className={cn('size-5 animate-spin', className)}
      {...props}
    />
  )
}
