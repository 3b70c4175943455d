/** Messages that were written and not sent: those to a contact, or a list of them. */
import { useQuery } from '@tanstack/react-query'
import { Trash2Icon } from 'lucide-react'
import { toast } from 'sonner'

import { DraftActions } from '@/components/draft-actions'
import { FilledDraft } from '@/components/filled-places'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { type Draft, draftsAboutQuery, useDeleteDraft, useRestoreDraft } from '@/data/drafts'
import { fullDate, shortDate } from '@/strings/dates'

const channels: Record<string, string> = { email: 'Email', whatsapp: 'WhatsApp' }

export function Drafts({ userId, contactId }: { userId: string; contactId: string }) {
  const { data: drafts = [] } = useQuery(draftsAboutQuery(userId, contactId))
  if (drafts.length === 0) return null
  return (
    <Card>
      <CardTitle>Bozze</CardTitle>
      <DraftList userId={userId} drafts={drafts} />
    </Card>
  )
}

export function DraftList({ userId, drafts }: { userId: string; drafts: readonly Draft[] }) {
  const remove = useDeleteDraft(userId, () => toast.error('Non siamo riusciti a eliminare: riprova'))
  const restore = useRestoreDraft(userId, () => toast.error('Non siamo riusciti a ripristinare: riprova'))

  function onRemove({ id, subject }: Draft) {
    remove.mutate(id)
    toast('Bozza eliminata', {
      description: subject,
      duration: 8_000,
      action: { label: 'Annulla', onClick: () => restore.mutate(id) },
    })
  }

  return (
    <ul aria-label="Bozze" className="divide-y">
      {drafts.map((draft) => (
        <li key={draft.id} className="grid grid-cols-1 gap-2 py-3 text-sm first:pt-0 last:pb-0">
          <p className="text-muted-foreground">
            {channels[draft.channel] ?? draft.channel},{' '}
            <time dateTime={draft.created_at} title={fullDate(draft.created_at)}>
              {shortDate(draft.created_at)}
            </time>
          </p>
          {draft.recipient && <p className="break-words text-muted-foreground">A {draft.recipient}</p>}
          <FilledDraft draft={draft}>
            {(filled) => (
              <>
                {filled.subject && <p className="font-medium break-words">{filled.subject}</p>}
                <p className="max-h-40 overflow-y-auto break-words whitespace-pre-wrap">{filled.body}</p>
                <DraftActions draft={filled}>
                  <Button variant="ghost" size="icon" aria-label="Elimina la bozza" onClick={() => onRemove(draft)}>
                    <Trash2Icon aria-hidden />
                  </Button>
                </DraftActions>
              </>
            )}
          </FilledDraft>
        </li>
      ))}
    </ul>
  )
}
