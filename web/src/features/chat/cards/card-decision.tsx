/** The preview of an open proposal with the person's word: approve, correct, refuse. */
import { PencilIcon } from 'lucide-react'
import { useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import type { ToolCall } from '@/data/tool-calls'
import { CardForm } from '@/features/chat/cards/card-form'
import { CardPreview } from '@/features/chat/cards/card-preview'
import { isFromOthers, toolOf } from '@/features/chat/cards/tools'
import { useDecision } from '@/features/chat/cards/use-decision'

type Props = { userId: string; call: ToolCall }

export function CardDecision({ userId, call }: Props) {
  const [isEditing, setEditing] = useState(false)
  const [typed, setTyped] = useState('')
  const { send, isPending, errors, reset } = useDecision(userId, call)
  const { fields, mayAlways } = toolOf(call.tool)
  const needed = call.needs_count
  const isCounted = needed === null || Number(typed) === needed

  const approve = (more: { args?: Record<string, unknown>; always?: boolean } = {}) =>
    void send({ decision: 'approve', ...more, ...(needed !== null && { count: Number(typed) }) })

  if (isEditing)
    return (
      <CardForm
        fields={fields}
        args={call.args}
        errors={errors}
        isBusy={isPending}
        onSend={(args) => approve({ args })}
        onClose={() => {
          reset()
          setEditing(false)
        }}
      />
    )
  return (
    <>
      <CardPreview call={call} />
      {needed !== null && <Count needed={needed} typed={typed} onType={setTyped} />}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={!isCounted || isPending} onClick={() => approve()}>
          {isPending && <Spinner aria-hidden />}
          Approva
        </Button>
        {fields.length > 0 && (
          <Button size="sm" variant="outline" disabled={isPending} onClick={() => setEditing(true)}>
            <PencilIcon aria-hidden /> Modifica
          </Button>
        )}
        <Button size="sm" variant="outline" disabled={isPending} onClick={() => void send({ decision: 'refuse' })}>
          Rifiuta
        </Button>
        {mayAlways && needed === null && !call.rules.some(isFromOthers) && (
          <Button
            size="sm"
            variant="ghost"
            disabled={isPending}
            className="h-auto min-h-11 whitespace-normal sm:min-h-9"
            onClick={() => approve({ always: true })}
          >
            Approva sempre in questa conversazione
          </Button>
        )}
      </div>
    </>
  )
}

type CountProps = { needed: number; typed: string; onType: (typed: string) => void }

/** What touches many rows is approved by typing how many. */
function Count({ needed, typed, onType }: CountProps) {
  const id = useId()
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Label htmlFor={id}>Riguarda {needed} righe: per approvare scrivi il numero</Label>
      <Input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        className="w-24"
        maxLength={7}
        value={typed}
        onChange={({ target }) => onType(target.value.trim())}
      />
    </div>
  )
}
