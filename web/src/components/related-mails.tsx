/** The e-mails of a contact, an invoice or a deal: conversations and single letters, each with a link. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlertIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { type MailSubject, type RelatedMail, relatedMailsQuery } from '@/data/mail-search'
import { paths } from '@/paths'
import { fullDate, relativeTime } from '@/strings/dates'
import { relatedMailState } from '@/strings/mail'

type Props = {
  userId: string
  about: MailSubject
  /** What to say when there are none; nothing by itself where the screen has no place of its own for mail. */
  none?: string
  /** What writes a new one. */
  children?: ReactNode
}

export function RelatedMails({ userId, about, none = 'Nessuna email.', children }: Props) {
  const { data, isPending, isError, refetch } = useQuery(relatedMailsQuery(userId, about))
  return (
    <>
      {isPending && none && <Skeleton aria-busy className="h-11" />}
      {isError && !data && <LoadError text="Non riusciamo a leggere le email." onRetry={() => void refetch()} />}
      {data?.length === 0 && none && <p className="text-sm text-muted-foreground">{none}</p>}
      {data && data.length > 0 && (
        <ul aria-label="Email" className="divide-y text-sm">
          {data.map((mail) => (
            <Mail key={mail.thread_id ?? mail.outgoing_id} mail={mail} />
          ))}
        </ul>
      )}
      {children}
    </>
  )
}

function Mail({ mail }: { mail: RelatedMail }) {
  const to = mail.thread_id ? paths.crmMailThread(mail.thread_id) : paths.crmContact(mail.contact_id ?? '')
  return (
    <li className="grid gap-0.5 py-2.5 first:pt-0 last:pb-0">
      <Link to={to} className="font-medium break-words hover:underline">
        {mail.has_warnings && (
          <TriangleAlertIcon aria-label="Attenzione" className="mr-1.5 inline size-4 align-text-bottom text-error" />
        )}
        {mail.subject}
      </Link>
      <span className="line-clamp-2 break-words text-muted-foreground">{mail.snippet}</span>
      <span className="text-xs text-muted-foreground">
        {[mail.party, relatedMailState(mail)].filter(Boolean).join(' · ')}
        {' · '}
        <time dateTime={mail.at} title={fullDate(mail.at)}>
          {relativeTime(mail.at)}
        </time>
      </span>
    </li>
  )
}
