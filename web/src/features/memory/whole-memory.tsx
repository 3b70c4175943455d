/** How full it is, and what can be done with all of it at once. */
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Label } from '@/components/ui/label'
import { Progress } from '@/components/ui/progress'
import { Select } from '@/components/ui/select'
import { type Forgetting, type Memory, MEMORY_CAPACITY, useForget } from '@/data/memories'
import { saveFile } from '@/lib/save-file'

type Wish = { what: Forgetting; whose: string; count: number }

// Italian groups from five digits on unless told.
const whole = new Intl.NumberFormat('it-IT', { useGrouping: 'always' })

export function WholeMemory({ userId, memories }: { userId: string; memories: Memory[] }) {
  const [wish, setWish] = useState<Wish | null>(null)
  const forget = useForget(userId)
  const used = memories
    .filter(({ state, kind }) => state === 'attiva' && kind !== 'narrativa')
    .reduce((sum, { body }) => sum + body.length, 0)
  const contacts = new Map(memories.flatMap(({ contact }) => (contact ? [[contact.id, contact.name]] : [])))
  if (memories.length === 0) return null

  function onConfirm() {
    if (!wish) return
    forget.mutate(wish.what, {
      onSuccess: () => toast.success('Dimenticato'),
      onError: () => toast.error('Non siamo riusciti a dimenticare: riprova'),
      onSettled: () => setWish(null),
    })
  }

  return (
    <Card>
      <div className="grid gap-2">
        <p className="text-sm tabular">
          {whole.format(used)} caratteri su {whole.format(MEMORY_CAPACITY)} · 0 crediti
        </p>
        <Progress value={used} max={MEMORY_CAPACITY} aria-label="Memoria occupata" />
      </div>
      <div className="flex flex-wrap items-end gap-2">
        {contacts.size > 0 && (
          <Label className="grid gap-1.5">
            Dimentica tutto di…
            <Select
              value=""
              onChange={({ target }) =>
                setWish({
                  what: { contactId: target.value },
                  whose: `tutto di ${contacts.get(target.value) ?? 'questo contatto'}`,
                  count: memories.filter(({ contact_id }) => contact_id === target.value).length,
                })
              }
            >
              <option value="" disabled>
                Scegli il contatto
              </option>
              {[...contacts].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          </Label>
        )}
        <Button
          variant="outline"
          onClick={() => saveFile('memoria-socio.json', JSON.stringify(memories, null, 2), 'application/json')}
        >
          Esporta JSON
        </Button>
        <Button
          variant="outline"
          onClick={() => setWish({ what: { everything: true }, whose: 'tutta la memoria', count: memories.length })}
        >
          Cancella tutta la memoria…
        </Button>
      </div>
      <ConfirmDialog
        isOpen={wish !== null}
        title={`Dimenticare ${wish?.whose ?? ''}?`}
        text={
          wish?.count === 1
            ? 'Un ricordo viene cancellato per sempre. Socio non lo imparerà di nuovo da solo.'
            : `${wish?.count ?? 0} ricordi vengono cancellati per sempre. Socio non li imparerà di nuovo da solo.`
        }
        confirm="Dimentica"
        isBusy={forget.isPending}
        onConfirm={onConfirm}
        onClose={() => setWish(null)}
      />
    </Card>
  )
}
