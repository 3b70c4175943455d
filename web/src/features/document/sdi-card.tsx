/** Shows what the exchange system says about the file of an issued invoice: the last notice, the others folded. */
import { useQuery } from '@tanstack/react-query'

import { Card, CardTitle } from '@/components/ui/card'
import { sdiNoticesQuery } from '@/data/invoices'
import { cn } from '@/lib/cn'
import { fullDate } from '@/strings/dates'

export function SdiCard({ documentId, userId }: { documentId: string; userId: string }) {
  const { data } = useQuery(sdiNoticesQuery(userId, documentId))
  const [last, ...former] = data ?? []
  // Most files were never sent from a mailbox that Socio reads.
  if (!last) return null
  return (
    <Card className="gap-2">
      <CardTitle>Sistema di Interscambio</CardTitle>
      <Notice notice={last} />
      {former.length > 0 && (
        <details className="text-sm text-muted-foreground">
          <summary className="flex min-h-11 cursor-pointer items-center">Esiti precedenti</summary>
          <div className="grid gap-2">
            {former.map((notice) => (
              <Notice key={notice.id} notice={notice} />
            ))}
          </div>
        </details>
      )}
    </Card>
  )
}

type NoticeProps = { notice: { is_refused: boolean; sentence: string; at: string } }

function Notice({ notice: { is_refused: isRefused, sentence, at } }: NoticeProps) {
  return (
    <div className="text-sm">
      <p className={cn('break-words', isRefused && 'text-error')}>{sentence}</p>
      <p className="text-muted-foreground">{fullDate(at)}</p>
    </div>
  )
}
