/** «Perché lo sai?»: the memories that stood beside a question, each with the sentence it came from. */
import { useQuery } from '@tanstack/react-query'
import { BrainIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import { memoryUsesQuery } from '@/data/conversations'
import { memoriesQuery } from '@/data/memories'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'
import { memorySources } from '@/strings/memory'

type Props = { userId: string; conversationId: string; messageId: string }

export function Why({ userId, conversationId, messageId }: Props) {
  const { data: uses } = useQuery(memoryUsesQuery(userId, conversationId))
  const { data: memories = [] } = useQuery(memoriesQuery(userId))
  const ids = uses?.get(messageId) ?? []
  // What was forgotten since is gone here too.
  const used = memories.filter(({ id }) => ids.includes(id))
  if (used.length === 0) return null
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button variant="ghost" size="sm" className="text-muted-foreground">
          <BrainIcon aria-hidden /> Perché lo sai?
        </Button>
      </PopoverTrigger>
      <PopoverContent
        align="start"
        aria-label="Ricordi usati"
        className="grid max-h-96 w-80 max-w-[calc(100vw-1rem)] gap-3 overflow-y-auto p-4 text-sm"
      >
        <p className="font-semibold">Perché lo ricordo</p>
        <ul className="grid gap-3">
          {used.map(({ id, body, source, source_quote: quote, created_at: at }) => (
            <li key={id} className="grid gap-0.5 break-words">
              <span>{body}</span>
              <span className="text-xs text-muted-foreground">
                {memorySources[source]}, <time dateTime={at}>{dayAndMonth(at)}</time>
                {quote && <> · «{quote}»</>}
              </span>
            </li>
          ))}
        </ul>
        <Link to={paths.settingsMemory} className="font-medium text-primary hover:underline">
          Correggi o dimentica
        </Link>
      </PopoverContent>
    </Popover>
  )
}
