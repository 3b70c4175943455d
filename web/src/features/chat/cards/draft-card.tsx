/** A draft that was kept: its words, and how to send it by hand. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { DraftActions } from '@/components/draft-actions'
import { FilledDraft } from '@/components/filled-places'
import { Skeleton } from '@/components/ui/skeleton'
import { draftQuery } from '@/data/drafts'
import { paths } from '@/paths'

export function DraftCard({ userId, draftId }: { userId: string; draftId: string }) {
  const { data: draft, isPending } = useQuery(draftQuery(userId, draftId))
  if (isPending) return <Skeleton aria-busy className="h-24" />
  if (!draft || draft.deleted_at) return <p className="text-muted-foreground">La bozza è stata eliminata.</p>
  return (
    <div className="grid grid-cols-1 gap-2">
      <FilledDraft draft={draft}>
        {(filled) => (
          <>
            {filled.subject && <p className="font-medium break-words">{filled.subject}</p>}
            <p className="max-h-80 overflow-y-auto rounded-sm border bg-background px-3 py-2 break-words whitespace-pre-wrap">
              {filled.body}
            </p>
            <DraftActions draft={filled} />
          </>
        )}
      </FilledDraft>
      <p className="text-xs text-muted-foreground">
        Non l’ho inviata: la mandi tu.
        {draft.contact_id && (
          <>
            {' '}
            La ritrovi nelle{' '}
            <Link to={paths.crmContact(draft.contact_id)} className="underline underline-offset-2">
              bozze del contatto
            </Link>
            .
          </>
        )}
      </p>
    </div>
  )
}
