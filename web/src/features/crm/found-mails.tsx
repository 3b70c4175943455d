/** What a search in the mail found: each with the sentence that holds the words. */
import { useQuery } from '@tanstack/react-query'
import { SearchXIcon, TriangleAlertIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { MarkedText } from '@/components/marked-text'
import { Skeleton } from '@/components/ui/skeleton'
import { type FoundMail, mailSearchQuery } from '@/data/mail-search'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'
import { countText } from '@/strings/home'

export function FoundMails({ userId, text }: { userId: string; text: string }) {
  const { data, isPending, refetch } = useQuery({
    ...mailSearchQuery(userId, text),
    // The last answer stays until the next one is there: a search does not flicker.
    placeholderData: (previous) => previous,
  })
  if (isPending) return <Skeleton aria-busy className="h-72" />
  if (!data) return <LoadError text="La ricerca non è riuscita: riprova." onRetry={() => void refetch()} />
  if (data.length === 0)
    return (
      <EmptyState
        icon={SearchXIcon}
        title={`Nessuna e-mail dice «${text}»`}
        text="Prova con una parola sola, o meno precisa."
        isAnswer
      />
    )
  return (
    <>
      <p role="status" className="text-sm text-muted-foreground tabular">
        {countText(data.length, 'conversazione trovata', 'conversazioni trovate')}
      </p>
      <ul aria-label="E-mail trovate" className="grid gap-2">
        {data.map((mail) => (
          <Found key={mail.mail_id} mail={mail} />
        ))}
      </ul>
    </>
  )
}

function Found({ mail }: { mail: FoundMail }) {
  const { thread_id: threadId, contact_id: contactId, party, subject, snippet, marks, at, is_sent: isSent } = mail
  return (
    <li className="grid gap-0.5 rounded-lg border p-3 text-sm">
      <Link
        to={threadId ? paths.crmMailThread(threadId) : paths.crmContact(contactId ?? '')}
        className="font-medium break-words hover:underline"
      >
        {mail.has_warnings && (
          <TriangleAlertIcon aria-label="Attenzione" className="mr-1.5 inline size-4 align-text-bottom text-error" />
        )}
        {subject}
      </Link>
      {snippet && (
        <span className="break-words text-muted-foreground">
          <MarkedText text={snippet} marks={marks ?? []} />
        </span>
      )}
      <span className="text-muted-foreground">
        {[isSent ? `A ${party ?? ''}` : party, fullDate(at)].filter(Boolean).join(' · ')}
      </span>
    </li>
  )
}
