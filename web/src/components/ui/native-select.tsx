import { ChevronDownIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

import { cn } from '@/lib/cn'

/** The browser's own select: the phone's picker for free, and none of the `<style>` elements the CSP refuses. */
export function NativeSelect({ className, ...props }: ComponentProps<'select'>) {
  return (
    <div className="relative">
      <select
        data-slot="native-select"
        className={cn(
          'h-11 w-full appearance-none rounded-md border border-input bg-card pr-10 pl-3 text-base text-foreground transition-colors disabled:opacity-60',
          'focus-visible:border-primary focus-visible:outline-offset-0 aria-invalid:border-error',
          className,
        )}
        {...props}
      />
      <ChevronDownIcon
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-[18px] -translate-y-1/2 text-muted-foreground"
      />
    </div>
  )
}
