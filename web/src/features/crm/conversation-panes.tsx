import type { ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'

type Props = {
  list: ReactNode
  /** The open conversation; a phone shows it instead of the list. */
  open: ReactNode
  onClose: () => void
  /** What a phone calls the way back to the list. */
  closing?: string
}

/** The conversations beside the one that is open. */
export function ConversationPanes({ list, open, onClose, closing = 'Tutte le conversazioni' }: Props) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)]">
      <div className={cn('grid gap-3', Boolean(open) && 'max-lg:hidden')}>{list}</div>
      {open && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <Button className="justify-self-start lg:hidden" variant="ghost" size="sm" onClick={onClose}>
            {closing}
          </Button>
          {open}
        </div>
      )}
    </div>
  )
}
