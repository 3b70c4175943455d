/** What became of the latest steps. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { GoalStep } from '@/data/goals'
import { stepChatsQuery, stepMailsQuery } from '@/data/step-messages'
import { PacketLink } from '@/features/goals/packet-link'
import { StepMessage } from '@/features/goals/step-message'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { dateAndTime } from '@/strings/dates'
import { channelWords, doneWords, stepReasons, stepStates } from '@/strings/goals'
import { formatEuro } from '@/strings/numbers'

export function StepList({ userId, steps }: { userId: string; steps: GoalStep[] }) {
  const sent = steps.filter(({ tool, state }) => tool === 'mail' && state === 'fatto').map(({ id }) => id)
  const mails = useQuery(stepMailsQuery(userId, sent))
  const chats = useQuery(stepChatsQuery(userId, sent))
  return (
    <Card>
      <CardTitle>Che cosa ha fatto</CardTitle>
      <ul aria-label="Che cosa ha fatto" className="divide-y text-sm">
        {steps.map((step) => (
          <li key={step.id} className="grid gap-0.5 py-2.5 first:pt-0 last:pb-0">
            <p className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 font-medium break-words">{step.preview.title}</span>
              {step.tool === 'mail' && <span className="shrink-0 tabular">{formatEuro(step.preview.cents)}</span>}
            </p>
            <p className="text-pretty text-muted-foreground">
              {(step.state === 'fatto' && doneWords[step.tool]) || stepStates[step.state]}
              {step.state === 'fatto' && step.preview.channel && ` ${channelWords[step.preview.channel]}`} ·{' '}
              {dateAndTime(step.done_at ?? step.created_at)}
              {reasonOf(step) && `. ${reasonOf(step)}.`}
            </p>
            {step.preview.by && (
              <p className="text-muted-foreground">
                Testo dell’assistente{step.max_credits > 0 && ` · ${credits(step.max_credits)}`}
              </p>
            )}
            {step.preview.unwritten && <p className="text-pretty text-muted-foreground">{step.preview.unwritten}.</p>}
            {step.preview.note && <p className="text-pretty text-muted-foreground">{step.preview.note}.</p>}
            <Result step={step} />
            <StepMessage
              mail={mails.data?.find(({ key }) => key === step.id)}
              chat={chats.data?.find(({ key }) => key === step.id)}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Where what was done at home is seen, and undone. */
function Result({ step: { id, tool, state, args } }: { step: GoalStep }) {
  if (state !== 'fatto' || tool === 'mail') return null
  return (
    <p className="flex flex-wrap gap-x-4">
      <Link to={tool === 'merge' ? paths.crmDuplicates : paths.task(id)} className="py-2.5 underline">
        {tool === 'merge' ? 'Vedi o annulla' : 'Apri l’attività'}
      </Link>
      <PacketLink args={args} />
    </p>
  )
}

function reasonOf({ state, error, rules }: GoalStep): string | null {
  if (error) return stepReasons[error] ?? 'Non è riuscito'
  // What keeps it back now, before why it will ask.
  const reason = (rules.find(({ id }) => id === 'E-06') ?? rules[0])?.reason
  return state === 'bloccato' || state === 'pianificato' ? (reason ?? null) : null
}
