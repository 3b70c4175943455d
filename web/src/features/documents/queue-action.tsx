import type { LucideIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'

type Props = {
  icon: LucideIcon
  label: string
  /** The file it is about, for who does not see the line. */
  name: string
  onClick: () => void
}

/** What can be done with one line of the queue. */
export function QueueAction({ icon: Icon, label, name, onClick }: Props) {
  return (
    <Button
      variant="ghost"
      size="icon"
      className="text-muted-foreground"
      aria-label={`${label}: ${name}`}
      title={label}
      onClick={onClick}
    >
      <Icon aria-hidden />
    </Button>
  )
}
