/** One proposed action: exactly what it will write, why it asks, and the person's word; then what came of it. */
import { clsx } from 'clsx'
import { BanIcon, CircleCheckIcon, CircleXIcon, ClockIcon, type LucideIcon, Undo2Icon, ZapIcon } from 'lucide-react'
import { useId } from 'react'

import { Badge } from '@/components/ui/badge'
import type { ToolCall } from '@/data/tool-calls'
import { CardDecision } from '@/features/chat/cards/card-decision'
import { CardPreview } from '@/features/chat/cards/card-preview'
import { CardReasons } from '@/features/chat/cards/card-reasons'
import { CardResult } from '@/features/chat/cards/card-result'
import { changesIn, type Stage, stageOf } from '@/features/chat/cards/state'
import { useNow } from '@/lib/use-now'

const looks: Record<Stage, { label: string; icon: LucideIcon; tone: string }> = {
  open: { label: 'Da approvare', icon: ZapIcon, tone: 'text-primary' },
  done: { label: 'Fatto', icon: CircleCheckIcon, tone: 'text-success' },
  refused: { label: 'Rifiutata', icon: BanIcon, tone: 'text-muted-foreground' },
  failed: { label: 'Non riuscita', icon: CircleXIcon, tone: 'text-error' },
  expired: { label: 'Scaduta', icon: ClockIcon, tone: 'text-muted-foreground' },
  undone: { label: 'Annullata', icon: Undo2Icon, tone: 'text-muted-foreground' },
}

type Props = { userId: string; call: ToolCall }

export function ToolCard({ userId, call }: Props) {
  const id = useId()
  const now = useNow((at) => changesIn(call, at))
  const stage = stageOf(call, now)
  const { label, icon: Icon, tone } = looks[stage]
  return (
    <article
      aria-labelledby={id}
      className={clsx(
        'grid grid-cols-1 gap-3 rounded-md border bg-card p-4 text-sm',
        stage === 'open' && 'border-primary',
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <h2 id={id} className="flex min-w-0 items-start gap-2 font-semibold">
          <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', tone)} />
          <span className="min-w-0 break-words">{call.preview.title}</span>
        </h2>
        <Badge variant={stage === 'open' ? 'secondary' : 'outline'}>{label}</Badge>
      </header>
      {stage === 'open' ? (
        <>
          <CardReasons call={call} />
          <CardDecision key={call.state} userId={userId} call={call} />
        </>
      ) : (
        <>
          {stage !== 'done' && <CardPreview call={call} />}
          <CardResult userId={userId} call={call} stage={stage} now={now} />
        </>
      )}
    </article>
  )
}
