/** A proposal of the assistant, to approve or refuse: it shows exactly what will be written. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type Decision, type ToolCall, toolCallQuery, useDecide } from '@/data/tool-calls'
import { paths } from '@/paths'

type Props = { toolCallId: string; onDecided: () => void; onClose: () => void }

export function ProposalDialog({ toolCallId, onDecided, onClose }: Props) {
  const { id: userId } = useUser()
  const { data: call, isPending } = useQuery(toolCallQuery(userId, toolCallId))
  const decide = useDecide(userId)

  async function run(proposal: ToolCall, decision: Decision['decision']) {
    try {
      await decide.mutateAsync({ call: proposal, decision })
      onDecided()
      toast.success(decision === 'approve' ? 'Proposta approvata' : 'Proposta rifiutata')
      onClose()
    } catch {
      toast.error('Non siamo riusciti a registrare la tua decisione: apri la conversazione e riprova')
    }
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>{call?.preview.title ?? 'Proposta di Socio'}</DialogTitle>
          <DialogDescription>
            {call?.state === 'proposed' || isPending
              ? 'Se approvi, succede esattamente questo.'
              : 'Questa proposta non aspetta più una risposta.'}
          </DialogDescription>
        </DialogHeader>
        {isPending && <Skeleton className="h-24" />}
        {call && <Preview call={call} />}
        {call?.state === 'proposed' && <Buttons call={call} isBusy={decide.isPending} onRun={run} />}
      </DialogContent>
    </Dialog>
  )
}

function Preview({ call: { preview } }: { call: ToolCall }) {
  return (
    <div className="grid max-h-[50dvh] gap-3 overflow-y-auto text-sm">
      <dl className="grid gap-1.5">
        {(preview.lines ?? []).map(({ label, value }) => (
          <div key={label} className="flex flex-wrap gap-x-2">
            <dt className="text-muted-foreground">{label}:</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {preview.body && <p className="rounded-md bg-muted p-3 break-words whitespace-pre-wrap">{preview.body}</p>}
    </div>
  )
}

type ButtonsProps = {
  call: ToolCall
  isBusy: boolean
  onRun: (call: ToolCall, decision: Decision['decision']) => Promise<void>
}

function Buttons({ call, isBusy, onRun }: ButtonsProps) {
  const conversation = paths.conversation(call.conversation_id, call.message_id)
  // Where a number must be typed or much is at stake, the conversation says more than this dialog.
  const isCareful = call.needs_count !== null || call.risk === 'alto'
  return (
    <DialogFooter>
      <Button variant="ghost" asChild>
        <Link to={conversation}>Apri la conversazione</Link>
      </Button>
      <Button variant="outline" disabled={isBusy} onClick={() => void onRun(call, 'refuse')}>
        Rifiuta
      </Button>
      {!isCareful && (
        <Button disabled={isBusy} onClick={() => void onRun(call, 'approve')}>
          Approva
        </Button>
      )}
    </DialogFooter>
  )
}
