/** /crm?vista=posta: the conversations that wait for an answer, and what was sent. j and k move, r answers, e and # finish. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { RefreshCwIcon, TriangleAlertIcon } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { CopyButton } from '@/components/copy-button'
import { CrmHeader } from '@/components/crm-header'
import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { MoreButton } from '@/components/more-button'
import { PageTitle } from '@/components/page-title'
import { SearchBox } from '@/components/search-box'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { mailDraftsQuery } from '@/data/drafts'
import { mailAddressQuery } from '@/data/forwarding'
import {
  type InboxView,
  mailInboxQuery,
  type MailThread,
  mailThreadsQuery,
  oneMailThreadQuery,
  useFetchMail,
} from '@/data/inbox'
import { sentLettersQuery } from '@/data/letters'
import { mailAccountQuery, sharedSenderQuery } from '@/data/mail'
import { ConversationPanes } from '@/features/crm/conversation-panes'
import { DraftList } from '@/features/crm/drafts'
import { FoundMails } from '@/features/crm/found-mails'
import { LetterState } from '@/features/crm/letter-state'
import { MailThreadView } from '@/features/crm/mail-thread'
import { useFinish } from '@/features/crm/use-finish-thread'
import { cn } from '@/lib/cn'
import { FunctionError } from '@/lib/server-errors'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'
import { mailKinds } from '@/strings/inbox'
import { mailErrors, mailProviders } from '@/strings/mail'

const views = [
  { key: 'da_gestire', label: 'Da gestire', to: paths.crmMail },
  { key: 'fatti', label: 'Fatti', to: paths.crmMailView('fatti') },
  { key: 'inviati', label: 'Inviati', to: paths.crmMailView('inviati') },
  { key: 'in_approvazione', label: 'In approvazione', to: paths.crmMailView('in_approvazione') },
  { key: 'programmati', label: 'Programmati', to: paths.crmMailView('programmati') },
] as const satisfies { key: InboxView; label: string; to: string }[]

export default function MailPage() {
  const { id: userId } = useUser()
  const [params, setParams] = useSearchParams()
  const text = params.get('cerca') ?? ''
  const view = views.find(({ key }) => key === params.get('stato'))?.key ?? 'da_gestire'
  const { data: inbox } = useQuery(mailInboxQuery(userId))
  const { data: account } = useQuery({ ...mailAccountQuery(userId), enabled: Boolean(inbox?.last_error) })
  const fetchMail = useFetchMail(userId)

  function onSearch(typed: string) {
    setParams(
      (former) => {
        if (typed) former.set('cerca', typed)
        else former.delete('cerca')
        return former
      },
      { replace: true },
    )
  }

  async function onFetch() {
    try {
      await fetchMail.mutateAsync()
      toast.success('Leggiamo la tua casella: le novità arrivano qui')
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti ad aggiornare: riprova')
    }
  }

  return (
    <div className="column grid grid-cols-[minmax(0,1fr)] gap-4 py-6">
      <PageTitle>Posta</PageTitle>
      <CrmHeader current="mail" title="Posta">
        {inbox && (
          <Button variant="outline" disabled={fetchMail.isPending} onClick={() => void onFetch()}>
            <RefreshCwIcon aria-hidden /> Aggiorna
          </Button>
        )}
      </CrmHeader>
      {inbox?.last_error && (
        <p role="alert" className="text-sm break-words text-error">
          {account?.provider && account.login_expired_at
            ? `Accesso scaduto: ricollega ${mailProviders[account.provider]}.`
            : `La casella non si legge: ${mailErrors[inbox.last_error].toLowerCase()}.`}{' '}
          <Link className="underline" to={paths.settingsChannels}>
            Controlla il canale
          </Link>
        </p>
      )}
      {inbox && !inbox.completed_at && !inbox.last_error && (
        <p role="status" className="text-sm text-muted-foreground">
          Prima lettura: {inbox.fetched} di {inbox.found} email.
        </p>
      )}
      {inbox === null && <WithoutMailbox userId={userId} />}
      <div className="flex flex-wrap items-center gap-3">
        <LinkTabs label="Posta" tabs={views} current={view} />
        <SearchBox label="Cerca nella posta" placeholder="Cerca nella posta" text={text} onSearch={onSearch} />
      </div>
      {text ? (
        <FoundMails userId={userId} text={text} />
      ) : view === 'da_gestire' || view === 'fatti' ? (
        <Threads key={view} userId={userId} isDone={view === 'fatti'} />
      ) : view === 'in_approvazione' ? (
        <Waiting userId={userId} />
      ) : (
        <Letters userId={userId} isSent={view === 'inviati'} />
      )}
    </div>
  )
}

/** How mail gets here without a mailbox that is read. */
function WithoutMailbox({ userId }: { userId: string }) {
  const { data } = useQuery(mailAddressQuery(userId))
  const { data: account } = useQuery(mailAccountQuery(userId))
  const { data: shared } = useQuery({ ...sharedSenderQuery(userId), enabled: account?.is_shared ?? false })
  if (data?.address)
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted-foreground">
        <p className="min-w-0">
          Qui arrivano le email che inoltri a{' '}
          <Link className="break-all underline" to={paths.settingsChannels}>
            {data.address}
          </Link>
        </p>
        <CopyButton key={data.address} text={data.address} label="Copia" />
      </div>
    )
  if (shared?.takes_answers)
    return (
      <p className="text-sm text-muted-foreground">
        Qui arrivano le risposte alle email che invii tramite Socio. Per il resto della posta{' '}
        <Link className="underline" to={paths.settingsChannels}>
          collega la casella o inoltra le email
        </Link>
        .
      </p>
    )
  return (
    <p className="text-sm text-muted-foreground">
      Socio non legge ancora la tua posta:{' '}
      <Link className="underline" to={paths.settingsChannels}>
        collega la casella con il suo server IMAP
      </Link>
      .
      {data?.is_offered && (
        <>
          {' '}
          Non vuoi collegare la casella?{' '}
          <Link className="underline" to={paths.settingsChannels}>
            Inoltra le email a un indirizzo di Socio
          </Link>
          .
        </>
      )}
    </p>
  )
}

function Threads({ userId, isDone }: { userId: string; isDone: boolean }) {
  const [params, setParams] = useSearchParams()
  const query = useInfiniteQuery(mailThreadsQuery(userId, isDone))
  const { data, isError, refetch } = query
  const finish = useFinish(userId)
  const wanted = params.get('conversazione')
  const place = data?.findIndex(({ id }) => id === wanted) ?? -1
  // A link may lead to one that is in the other list, or further down.
  const other = useQuery({ ...oneMailThreadQuery(userId, wanted ?? ''), enabled: wanted !== null && place === -1 })
  const open = data?.[place] ?? (wanted === null ? undefined : (other.data ?? undefined))

  function show(thread: Pick<MailThread, 'id'> | undefined) {
    setParams(
      (former) => {
        if (thread) former.set('conversazione', thread.id)
        else former.delete('conversazione')
        return former
      },
      { replace: true },
    )
  }
  const next = () => data && show(data[Math.min(place + 1, data.length - 1)])
  useShortcut('j', () => void next())
  useShortcut('k', () => data && show(data[Math.max(place - 1, 0)]))
  const onFinish = () => open && !open.is_done && void finish.change(open, () => show(data?.[place + 1]))
  useShortcut('e', onFinish)
  useShortcut('#', onFinish)

  if (isError && !data) return <LoadError text="Non riusciamo a leggere la posta." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  if (data.length === 0 && !open)
    return (
      <p className="py-8 text-center text-muted-foreground">
        {isDone ? 'Nessuna conversazione gestita' : 'Nessuna email aspetta una risposta'}
      </p>
    )
  return (
    <ConversationPanes
      onClose={() => show(undefined)}
      list={
        <>
          <ul aria-label="Conversazioni" className="grid gap-2">
            {data.map((thread) => (
              <li key={thread.id}>
                <ThreadRow thread={thread} isOpen={thread === open} onOpen={() => show(thread)} />
              </li>
            ))}
          </ul>
          <MoreButton query={query}>Mostra altre</MoreButton>
        </>
      }
      open={
        open && (
          <MailThreadView
            key={open.id}
            userId={userId}
            thread={open}
            onDone={() => show(undefined)}
            onJoined={(id) => show({ id })}
          />
        )
      }
    />
  )
}

function ThreadRow({ thread, isOpen, onOpen }: { thread: MailThread; isOpen: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-current={isOpen || undefined}
      className={cn('grid w-full gap-0.5 rounded-lg border p-3 text-left text-sm hover:bg-muted', isOpen && 'bg-muted')}
      onClick={onOpen}
    >
      <span className="flex items-center gap-1.5 font-medium break-words">
        {thread.has_warnings && <TriangleAlertIcon aria-label="Attenzione" className="size-4 shrink-0 text-error" />}
        {thread.party_name ?? thread.party ?? 'Mittente sconosciuto'}
      </span>
      <span className="break-words">{thread.subject}</span>
      <span className="line-clamp-2 break-words text-muted-foreground">{thread.snippet}</span>
      <span className="text-muted-foreground">
        {[fullDate(thread.last_at), mailKinds[thread.kind]].filter(Boolean).join(' · ')}
      </span>
    </button>
  )
}

/** What was written for the person, by the assistant too, and leaves only when they send it. */
function Waiting({ userId }: { userId: string }) {
  const { data, isError, refetch } = useQuery(mailDraftsQuery(userId))
  if (isError && !data) return <LoadError text="Non riusciamo a leggere la posta." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  if (data.length === 0)
    return <p className="py-8 text-center text-muted-foreground">Nessuna email aspetta che tu la approvi</p>
  return <DraftList userId={userId} drafts={data} />
}

function Letters({ userId, isSent }: { userId: string; isSent: boolean }) {
  const { data, isError, refetch } = useQuery(sentLettersQuery(userId, isSent))
  if (isError && !data) return <LoadError text="Non riusciamo a leggere la posta." onRetry={() => void refetch()} />
  if (!data) return <Skeleton aria-busy className="h-72" />
  if (data.length === 0)
    return (
      <p className="py-8 text-center text-muted-foreground">
        {isSent ? 'Non hai ancora inviato email da Socio' : 'Nessuna email in attesa di partire'}
      </p>
    )
  return (
    <ul aria-label={isSent ? 'Inviati' : 'Programmati'} className="grid gap-2">
      {data.map((letter) => (
        <li key={letter.id} className="grid gap-0.5 rounded-lg border p-3 text-sm">
          <Link className="font-medium break-words underline" to={paths.crmContact(letter.contact_id)}>
            {letter.recipient}
          </Link>
          <span className="break-words">{letter.subject}</span>
          <LetterState letter={letter} />
        </li>
      ))}
    </ul>
  )
}
