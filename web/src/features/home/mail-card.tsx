/** «Posta da gestire»: how many conversations wait, and the latest; nothing when none does. */
import { TriangleAlertIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { HomeMail } from '@/data/home'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'
import { countText } from '@/strings/home'

export function MailCard({ mail }: { mail: HomeMail | undefined }) {
  if (!mail || mail.count === 0) return null
  return (
    <Card className="gap-3">
      <CardTitle>Posta da gestire</CardTitle>
      <ul aria-label="Posta da gestire" className="divide-y text-sm">
        {mail.threads.map(({ id, subject, party, last_at: at, has_warnings: hasWarnings }) => (
          <li key={id} className="grid gap-0.5 py-2.5 first:pt-0 last:pb-0">
            <Link to={paths.crmMailThread(id)} className="line-clamp-2 break-words hover:underline">
              {hasWarnings && (
                <TriangleAlertIcon
                  aria-label="Attenzione"
                  className="mr-1.5 inline size-4 align-text-bottom text-error"
                />
              )}
              {party ?? 'Mittente sconosciuto'}: {subject}
            </Link>
            <p className="text-xs text-muted-foreground">
              <time dateTime={at} title={fullDate(at)}>
                {relativeTime(at)}
              </time>
            </p>
          </li>
        ))}
      </ul>
      <Link to={paths.crmMail} className="justify-self-start text-sm font-medium underline">
        {countText(mail.count, 'conversazione', 'conversazioni')} da gestire
      </Link>
    </Card>
  )
}
