/** What a search in the mail found: each with the sentence that holds the words. */
import { TriangleAlertIcon } from 'lucide-react'
import { Link } from 'react-router'

import { MarkedText } from '@/components/marked-text'
import { type FoundMail, mailSearchQuery } from '@/data/mail-search'
import { SearchAnswer } from '@/features/crm/search-answer'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'
import { countText } from '@/strings/home'

export function FoundMails({ userId, text }: { userId: string; text: string }) {
  return (
    <SearchAnswer query={mailSearchQuery(userId, text)} none={`Nessuna email dice «${text}»`}>
      {(found) => (
        <>
          <p role="status" className="text-sm text-muted-foreground tabular">
            {countText(found.length, 'conversazione trovata', 'conversazioni trovate')}
          </p>
          <ul aria-label="Email trovate" className="grid gap-2">
            {found.map((mail) => (
              <Found key={mail.mail_id} mail={mail} />
            ))}
          </ul>
        </>
      )}
    </SearchAnswer>
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
