import type { Enums } from '@/data/tables'
import { cn } from '@/lib/cn'
import { notificationTypes } from '@/strings/labels'

const colours = { success: 'bg-success', warning: 'bg-warning', error: 'bg-error', info: 'bg-info' } satisfies Record<
  Enums<'notification_type'>,
  string
>

/** Green, yellow, red; anything else blue (NOTICE-02). */
export function NotificationDot({ type, className }: { type: string; className?: string }) {
  const known = type in colours ? (type as keyof typeof colours) : 'info'
  return (
    <span className={cn('size-2.5 shrink-0 rounded-full', colours[known], className)}>
      <span className="sr-only">{notificationTypes[known]}</span>
    </span>
  )
}
