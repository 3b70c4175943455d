import { type ComponentProps, useId } from 'react'

import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { cn } from '@/lib/cn'

type Props = ComponentProps<typeof Select> & { label: string; hideLabel?: boolean }

/** A named choice. */
export function SelectField({ label, hideLabel = false, ...props }: Props) {
  const id = useId()
  return (
    <div className="grid min-w-0 content-start gap-1.5">
      <Label htmlFor={id} className={cn(hideLabel && 'sr-only')}>
        {label}
      </Label>
      <Select id={id} {...props} />
    </div>
  )
}
