/** The small ① in an answer: what it stands for on hover and focus; a click opens the record, or the passage. */
import { Link } from 'react-router'

import { Tooltip, TooltipContent, TooltipTrigger } from '@/components/ui/tooltip'
import type { ChatRef } from '@/data/chat'
import { refKinds } from '@/features/chat/citations/kinds'
import { recordPath } from '@/features/chat/citations/record-path'
import { useSources } from '@/features/chat/citations/sources-context'

const look =
  'ml-0.5 inline-grid h-5 min-w-5 -translate-y-px place-items-center rounded-full bg-secondary px-1 align-middle text-xs font-semibold text-secondary-foreground no-underline tabular hover:bg-primary hover:text-primary-foreground'

export function Citation({ source }: { source: ChatRef }) {
  const { openRecord } = useSources()
  const { n, kind, label, place } = source
  const name = `Fonte ${n}: ${refKinds[kind].label} ${label}${place ? `, pagina ${place.page}` : ''}`
  const path = kind === 'document' ? recordPath(source) : null
  return (
    <Tooltip>
      <TooltipTrigger asChild>
        {path ? (
          <Link to={path} aria-label={name} className={look}>
            {n}
          </Link>
        ) : (
          <button type="button" aria-label={name} className={look} onClick={() => openRecord(source)}>
            {n}
          </button>
        )}
      </TooltipTrigger>
      <TooltipContent>
        <span className="font-medium">{label}</span>
        <span className="block text-xs text-muted-foreground">
          {refKinds[kind].label}
          {place && `, pagina ${place.page}`}
        </span>
      </TooltipContent>
    </Tooltip>
  )
}
