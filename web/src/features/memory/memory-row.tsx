import { PauseIcon, PlayIcon, Trash2Icon } from 'lucide-react'
import { useState } from 'react'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { type Memory, useForget, useKeepMemory, usePauseMemory } from '@/data/memories'
import { EditableFact } from '@/features/memory/editable-fact'
import { Source } from '@/features/memory/source'
import { tellRefusal } from '@/features/memory/tell-refusal'
import { relativeTime } from '@/strings/dates'
import { memoryKinds, memoryStates, timesUsed } from '@/strings/memory'

export function MemoryRow({ userId, memory }: { userId: string; memory: Memory }) {
  const { id, body, kind, state, uses, last_used_at } = memory
  const [isAsking, setAsking] = useState(false)
  const keep = useKeepMemory(userId)
  const pause = usePauseMemory(userId)
  const forget = useForget(userId)
  const isOver = state === 'superata'
  const forgetButton = (
    <Button size="icon" variant="ghost" aria-label={`Dimentica: ${body}`} onClick={() => setAsking(true)}>
      <Trash2Icon aria-hidden />
    </Button>
  )

  return (
    <li className="grid gap-1 px-4 py-3">
      <div className="flex flex-wrap gap-2">
        <Badge variant="secondary">{memoryKinds[kind]}</Badge>
        {state !== 'attiva' && <Badge variant="outline">{memoryStates[state]}</Badge>}
      </div>
      {isOver ? (
        <div className="flex items-center gap-3">
          <p className="min-w-0 flex-1 break-words text-muted-foreground line-through">{body}</p>
          {forgetButton}
        </div>
      ) : (
        <EditableFact
          text={body}
          saveLabel="Salva"
          onSave={(text) => keep.mutateAsync({ id, body: text }).catch(tellRefusal)}
        >
          {state === 'attiva' ? (
            <Button
              size="icon"
              variant="ghost"
              aria-label={`Metti in pausa: ${body}`}
              disabled={pause.isPending}
              onClick={() => pause.mutate(id, { onError: tellRefusal })}
            >
              <PauseIcon aria-hidden />
            </Button>
          ) : (
            <Button
              size="icon"
              variant="ghost"
              aria-label={`Riattiva: ${body}`}
              disabled={keep.isPending}
              onClick={() => keep.mutate({ id }, { onError: tellRefusal })}
            >
              <PlayIcon aria-hidden />
            </Button>
          )}
          {forgetButton}
        </EditableFact>
      )}
      <Source memory={memory}>
        {' · '}
        {timesUsed(uses)}
        {last_used_at && `, ultima ${relativeTime(last_used_at)}`}
      </Source>
      <ConfirmDialog
        isOpen={isAsking}
        title="Dimenticare per sempre?"
        text={`«${body}» viene cancellato e Socio non lo imparerà di nuovo da solo.`}
        confirm="Dimentica"
        isBusy={forget.isPending}
        onConfirm={() => forget.mutate({ ids: [id] }, { onError: tellRefusal, onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}
