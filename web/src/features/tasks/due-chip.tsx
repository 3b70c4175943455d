/** An invoice or a document in the day on which it falls due; it leads to its document. */
import { FileClockIcon } from 'lucide-react'
import { Link } from 'react-router'

import type { FallingDue } from '@/data/due-dates'
import { dueWords } from '@/features/tasks/due'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'

export function DueChip({ due, today }: { due: FallingDue; today: string }) {
  const isLate = due.day < today && due.kind !== 'documento'
  return (
    <Link
      to={paths.document(due.documentId)}
      title={dueWords(due)}
      className={cn(
        'flex min-h-11 items-center gap-1 rounded-sm border border-dashed px-1.5 py-0.5 text-left text-sm hover:bg-muted sm:min-h-7 sm:text-xs',
        due.kind === 'incasso' && 'border-primary/60',
        due.kind === 'pagamento' && 'border-terracotta',
        isLate && 'border-error text-error',
      )}
    >
      {due.kind === 'documento' && <FileClockIcon aria-hidden className="size-3.5 shrink-0" />}
      <span className="truncate">{dueWords(due)}</span>
    </Link>
  )
}
