/** A conversation by mail: what was written by both, and what can be done about it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'

import { SendMailButton } from '@/components/send-mail-button'
import type { Letter } from '@/components/letter-text'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useAuth } from '@/data/auth-context'
import { contactQuery } from '@/data/contacts'
import { type MailThread, mailThreadQuery, type ReceivedMail } from '@/data/inbox'
import type { SentLetter } from '@/data/letters'
import { invoiceRecordQuery } from '@/data/records'
import { LetterState } from '@/features/crm/letter-state'
import { MailMessage } from '@/features/crm/mail-message'
import { StrangerCard } from '@/features/crm/stranger-card'
import { SuggestedThread } from '@/features/crm/suggested-thread'
import { ThreadMenu } from '@/features/crm/thread-menu'
import { useFinish } from '@/features/crm/use-finish-thread'
import { paths } from '@/paths'
import { answerDraft, answerSubject } from '@/strings/inbox'

type Props = { userId: string; thread: MailThread; onDone: () => void; onJoined: (threadId: string) => void }

export function MailThreadView({ userId, thread, onDone, onJoined }: Props) {
  const { data, isError, refetch } = useQuery(mailThreadQuery(userId, thread.id))
  if (isError && !data)
    return <LoadError text="Non riusciamo a leggere la conversazione." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  const entries = [
    ...data.mails.map((mail) => ({ at: mail.at, mail, letter: null })),
    ...data.letters.map((letter) => ({ at: letter.sent_at ?? letter.created_at, mail: null, letter })),
  ].toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <section aria-label={thread.subject} className="grid content-start gap-3">
      <h2 className="text-lg font-semibold break-words">{thread.subject}</h2>
      <Actions
        userId={userId}
        thread={thread}
        last={data.mails.findLast(({ folder }) => folder === 'ricevuti')}
        onDone={onDone}
      />
      {thread.suggested_thread_id && (
        <SuggestedThread
          userId={userId}
          threadId={thread.id}
          suggestedId={thread.suggested_thread_id}
          onJoined={onJoined}
        />
      )}
      {thread.party && !thread.contact_id && !thread.is_sender_ignored && thread.kind === 'persona' && (
        <StrangerCard userId={userId} thread={{ ...thread, party: thread.party }} />
      )}
      {entries.map(({ mail, letter }) =>
        mail ? <MailMessage key={mail.id} mail={mail} /> : letter && <SentByUs key={letter.id} letter={letter} />,
      )}
    </section>
  )
}

function SentByUs({ letter }: { letter: SentLetter }) {
  return (
    <article className="grid gap-2 rounded-lg border p-3 text-sm">
      <p className="font-medium">Tu</p>
      <LetterState letter={letter} />
      <p className="break-words whitespace-pre-wrap">{letter.body}</p>
    </article>
  )
}

type ActionsProps = Omit<Props, 'onJoined'> & { last: ReceivedMail | undefined }

function Actions({ userId, thread, last, onDone }: ActionsProps) {
  const client = useQueryClient()
  const { profile } = useAuth()
  const contact = useQuery({ ...contactQuery(thread.contact_id ?? ''), enabled: thread.contact_id !== null })
  const finish = useFinish(userId)
  const isDone = thread.is_done

  /** What an answer begins with: the facts are those of the moment it is opened. */
  async function begin(contactId: string, name: string): Promise<Letter> {
    const invoice = thread.invoice_id ? await client.fetchQuery(invoiceRecordQuery(userId, thread.invoice_id)) : null
    return {
      contactId,
      recipient: last?.sender ?? thread.party,
      subject: answerSubject(last?.subject ?? thread.subject),
      body: answerDraft(name, profile?.business_name ?? profile?.full_name ?? '', invoice),
      threadId: thread.id,
      about: { invoiceId: thread.invoice_id },
    }
  }

  return (
    <div className="flex flex-wrap gap-2">
      {thread.contact_id && contact.data && (
        <SendMailButton
          label="Rispondi"
          shortcut="r"
          letter={() => begin(thread.contact_id ?? '', contact.data?.name ?? '')}
        />
      )}
      <Button
        variant="outline"
        size="sm"
        disabled={finish.isPending}
        aria-keyshortcuts="e #"
        onClick={() => void finish.change(thread, onDone)}
      >
        {isDone ? 'Da gestire' : 'Fatto'}
      </Button>
      <ThreadMenu userId={userId} thread={thread} last={last} />
      {thread.contact_id && (
        <Button variant="ghost" size="sm" asChild>
          <Link to={paths.crmContact(thread.contact_id)}>{contact.data?.name ?? 'Contatto'}</Link>
        </Button>
      )}
    </div>
  )
}
