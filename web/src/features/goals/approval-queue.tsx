/** What of an agent waits for a yes, as one batch with a tick each; every text can be read before. */
import { useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Textarea } from '@/components/ui/textarea'
import { type Agent, type GoalStep, useDecideSteps, useEditStep } from '@/data/goals'
import { PacketLink } from '@/features/goals/packet-link'
import { DataError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { agents, channelWords, goalRefusals, tones } from '@/strings/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'
import { campaignPrice } from '@/strings/whatsapp'

type Props = { userId: string; agent: Agent; steps: GoalStep[] }

export function ApprovalQueue({ userId, agent, steps }: Props) {
  const { name, message, action } = agents[agent]
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  // A changed text that is not saved would not be what leaves.
  const [unsaved, setUnsaved] = useState<ReadonlySet<string>>(new Set())
  const decide = useDecideSteps(userId)
  const chosen = steps.filter(({ id }) => !left.has(id))
  const cents = chosen.reduce((sum, { preview }) => sum + preview.cents, 0)

  function note(hash: string, isUnsaved: boolean) {
    const next = new Set(unsaved)
    next.delete(hash)
    if (isUnsaved) next.add(hash)
    setUnsaved(next)
  }

  function toggle(id: string) {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }

  // Not by the callbacks of `mutate`: what was decided leaves this list before they are called.
  async function press(isApproved: boolean) {
    try {
      await decide.mutateAsync({ steps: chosen, isApproved })
    } catch (error) {
      const reason = error instanceof DataError && goalRefusals[error.code]
      toast.error(reason || 'Non siamo riusciti a salvare: riprova')
      return
    }
    const isMail = action === 'mail'
    if (isApproved) toast.success(isMail ? 'Approvati: partono appena si può' : 'Approvato: è fatto entro un minuto')
    else toast.success(isMail ? 'Rifiutati: non partono' : 'Rifiutato: resta com’è')
  }

  return (
    <Card>
      <CardTitle>Da approvare: {countText(steps.length, ...message)}</CardTitle>
      <p className="text-sm text-muted-foreground">{name}</p>
      <ul aria-label={`Da approvare: ${name}`} className="divide-y">
        {steps.map((step) => (
          <Proposal
            key={step.id}
            userId={userId}
            agent={agent}
            step={step}
            isChosen={!left.has(step.id)}
            onToggle={() => toggle(step.id)}
            onUnsaved={(isUnsaved) => note(step.hash, isUnsaved)}
          />
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={chosen.length === 0 || chosen.some(({ hash }) => unsaved.has(hash)) || decide.isPending}
          onClick={() => void press(true)}
        >
          Approva {chosen.length}
          {action === 'mail' && ` · ${formatEuro(cents)}`}
        </Button>
        <Button variant="outline" disabled={chosen.length === 0 || decide.isPending} onClick={() => void press(false)}>
          Rifiuta {chosen.length}
        </Button>
      </div>
    </Card>
  )
}

type ProposalProps = {
  userId: string
  agent: Agent
  step: GoalStep
  isChosen: boolean
  onToggle: () => void
  onUnsaved: (isUnsaved: boolean) => void
}

function Proposal({ userId, agent, step, isChosen, onToggle, onUnsaved }: ProposalProps) {
  const { tool, preview, recipients, rules, args } = step
  const attached = preview.lines.filter(({ has_attachment: has }) => has).map(({ label }) => label)
  return (
    <li className="grid gap-1.5 py-3 first:pt-0 last:pb-0">
      <label className="flex min-h-11 cursor-pointer items-center gap-3">
        <input type="checkbox" checked={isChosen} onChange={onToggle} className="size-5 shrink-0 accent-primary" />
        <span className="min-w-0 flex-1 font-medium break-words">{preview.title}</span>
        {tool === 'mail' && <span className="shrink-0 tabular">{formatEuro(preview.cents)}</span>}
      </label>
      <div className="grid gap-1.5 pl-8 text-sm">
        {tool === 'mail' ? (
          <p className="text-muted-foreground">
            A {recipients.join(', ')}, {preview.channel && `${channelWords[preview.channel]}, `}tono{' '}
            {tones[preview.tone]}
          </p>
        ) : (
          <p className="break-words whitespace-pre-line">{preview.body}</p>
        )}
        {preview.by && (
          <p className="text-muted-foreground">
            Scritto dall’assistente ({preview.by}){step.max_credits > 0 && ` · ${credits(step.max_credits)}`}
          </p>
        )}
        {preview.unwritten && (
          <p className="text-pretty text-muted-foreground">
            {preview.unwritten}.{' '}
            <Link to={paths.mandate(agent)} className="underline">
              Vedi il mandato
            </Link>
          </p>
        )}
        {preview.price && <p className="text-muted-foreground">Costo con Meta: {campaignPrice(preview.price)}</p>}
        {preview.note && (
          <p className="text-pretty text-muted-foreground">
            {preview.note}.{' '}
            <Link to={paths.mandate('recupero_crediti')} className="underline">
              Canali del mandato
            </Link>
          </p>
        )}
        <PacketLink args={args} />
        {attached.length > 0 && <p className="text-muted-foreground">Allega: {attached.join(', ')}</p>}
        {rules.map(({ id, reason }) => (
          <p key={id} className="text-muted-foreground">
            Regola {id}: {reason}
          </p>
        ))}
        {tool === 'mail' && (
          <details>
            <summary className="flex min-h-11 cursor-pointer items-center font-medium underline">
              Leggi il messaggio
            </summary>
            {preview.channel === 'whatsapp' ? (
              <TemplateText body={preview.body} />
            ) : (
              <Message key={step.hash} userId={userId} step={step} onUnsaved={onUnsaved} />
            )}
          </details>
        )}
      </div>
    </li>
  )
}

/** The text of a template is the one that Meta approved: it is read, not changed. */
function TemplateText({ body }: { body: string }) {
  return (
    <div className="grid gap-1">
      <p className="rounded-md bg-muted p-3 break-words whitespace-pre-line">{body}</p>
      <p className="text-muted-foreground">È il modello approvato da Meta: il testo non si cambia.</p>
    </div>
  )
}

/** The message as it will leave; what its person changes is what is approved. */
type MessageProps = Pick<ProposalProps, 'userId' | 'step' | 'onUnsaved'>

function Message({ userId, step: { id, preview }, onUnsaved }: MessageProps) {
  const edit = useEditStep(userId)
  const [subject, setSubject] = useState(preview.subject)
  const [body, setBody] = useState(preview.body)
  const isChanged = subject !== preview.subject || body !== preview.body

  function change(written: { subject: string; body: string }) {
    setSubject(written.subject)
    setBody(written.body)
    onUnsaved(written.subject !== preview.subject || written.body !== preview.body)
  }

  async function save() {
    try {
      await edit.mutateAsync({ id, subject: subject.trim(), body })
    } catch (error) {
      toast.error((error instanceof DataError && goalRefusals[error.code]) || 'Non siamo riusciti a salvare: riprova')
      return
    }
    onUnsaved(false)
    toast.success('Messaggio cambiato: approvalo quando vuoi')
  }

  return (
    <div className="grid gap-2">
      <Label htmlFor={`oggetto-${id}`}>Oggetto</Label>
      <Input
        id={`oggetto-${id}`}
        value={subject}
        maxLength={200}
        onChange={({ target }) => change({ subject: target.value, body })}
      />
      <Label htmlFor={`testo-${id}`}>Testo</Label>
      <Textarea
        id={`testo-${id}`}
        value={body}
        rows={12}
        maxLength={20_000}
        onChange={({ target }) => change({ subject, body: target.value })}
      />
      {isChanged && (
        <Button
          variant="secondary"
          size="sm"
          className="justify-self-start"
          disabled={!subject.trim() || !body.trim() || edit.isPending}
          onClick={() => void save()}
        >
          Salva il messaggio
        </Button>
      )}
    </div>
  )
}
