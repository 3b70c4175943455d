/** Answers an idea: which item it belongs to, or why it will not be done. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm } from '@/components/auth-form'
import { tellFailure } from '@/components/save-failure'
import { SelectField } from '@/components/select-field'
import { TextAreaField } from '@/components/text-area-field'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { type ReceivedIdea, type RoadmapItem, useAnswerIdea } from '@/data/admin-roadmap'
import { z } from '@/lib/zod'
import { itemStates } from '@/strings/roadmap-states'

const DECLINED = 'no'
const NEW = 'nuova'

const schema = z
  .object({ item: z.string(), reply: z.string().trim().max(1000, 'Al massimo 1.000 caratteri') })
  .refine(({ item, reply }) => item !== DECLINED || reply.length >= 3, {
    path: ['reply'],
    message: 'Scrivi perché no: lo legge chi l’ha proposta',
  })

type Props = {
  idea: ReceivedIdea
  items: RoadmapItem[]
  /** The item does not exist yet: it is written first, and the reply is kept for then. */
  onNewItem: (reply: string) => void
  onClose: () => void
}

export function IdeaDialog({ idea, items, onNewItem, onClose }: Props) {
  const answer = useAnswerIdea()
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: {
      item: idea.is_declined ? DECLINED : (idea.item_id?.toString() ?? NEW),
      reply: idea.reply ?? '',
    },
  })

  async function onSubmit({ item, reply }: z.infer<typeof schema>): Promise<void> {
    if (item === NEW) {
      onNewItem(reply)
      return
    }
    try {
      await answer.mutateAsync({ id: idea.id, itemId: item === DECLINED ? null : Number(item), reply })
      toast.success('Risposta inviata')
      onClose()
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle className="break-words">{idea.title}</DialogTitle>
          <DialogDescription className="break-words whitespace-pre-line">
            {idea.text || 'Senza altre parole.'}
          </DialogDescription>
        </DialogHeader>
        <AuthForm form={form} onSubmit={onSubmit} submit="Rispondi" inline>
          <SelectField
            name="item"
            label="Che cosa ne facciamo"
            options={{
              [NEW]: 'Nuova voce di roadmap…',
              [DECLINED]: 'Non la faremo',
              ...Object.fromEntries(
                items
                  .filter(({ kind, state }) => kind === 'product' && state !== 'declined')
                  .map(({ id, title, state }) => [id, `È come «${title}» (${itemStates[state].toLowerCase()})`]),
              ),
            }}
          />
          <TextAreaField
            name="reply"
            label="Risposta"
            help="La legge chi l’ha proposta, tra gli avvisi. Obbligatoria quando è un no."
            rows={3}
            maxLength={1000}
          />
        </AuthForm>
      </DialogContent>
    </Dialog>
  )
}
