/** What happened with a contact, and with the people of a company, by day, newest first, and the field that adds to it. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  BriefcaseIcon,
  CalendarIcon,
  CircleCheckIcon,
  CombineIcon,
  FileTextIcon,
  MailIcon,
  MessageCircleIcon,
  PhoneIcon,
  ShieldCheckIcon,
  StickyNoteIcon,
  XIcon,
} from 'lucide-react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Markdown } from '@/components/markdown'
import { MoreButton } from '@/components/more-button'
import { WaitsForNetwork } from '@/components/waits-for-network'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import type { WholeContact } from '@/data/contacts'
import { isWritten, type TimelineEntry, timelineQuery, useRemoveFromTimeline } from '@/data/contacts-timeline'
import { peopleQuery } from '@/data/contacts-work'
import { useKeptNotes } from '@/data/kept'
import { Composer } from '@/features/crm/composer'
import { MailState } from '@/features/crm/mail-state'
import { type Names, Whose } from '@/features/crm/papers-section'
import { consentChannels, consentPurposes } from '@/strings/crm'
import { dayLabel, fullDate, relativeTime } from '@/strings/dates'

const UNDO_MS = 8_000

const icons: Record<string, typeof MailIcon> = {
  nota: StickyNoteIcon,
  chiamata: PhoneIcon,
  email: MailIcon,
  whatsapp: MessageCircleIcon,
  incontro: CalendarIcon,
  consenso: ShieldCheckIcon,
  trattativa: BriefcaseIcon,
  attivita: CircleCheckIcon,
  unione: CombineIcon,
}

type Props = { userId: string; contact: WholeContact; isEditable: boolean }

export function Timeline({ userId, contact: { id: contactId, type }, isEditable }: Props) {
  // What happened with its people happened with a company.
  const people = useQuery({ ...peopleQuery(contactId), enabled: type === 'azienda' })
  const near = people.data ?? []
  const names: Names = new Map(near.map(({ id, name }) => [id, name]))
  const query = useInfiniteQuery({
    ...timelineQuery([contactId, ...near.map(({ id }) => id)]),
    enabled: !people.isLoading,
    placeholderData: keepPreviousData,
  })
  const kept = useKeptNotes(userId, contactId)
  const entries = query.data ?? []
  const days = Map.groupBy(entries, ({ at }) => dayLabel(at))
  return (
    <section aria-labelledby="storia" className="grid min-w-0 gap-4">
      <h2 id="storia" className="sr-only">
        Storia
      </h2>
      {isEditable && <Composer userId={userId} contactId={contactId} />}
      {query.isPending && <Loading />}
      {query.isError && !query.data && (
        <LoadError text="Non riusciamo a leggere la storia di questo contatto." onRetry={() => void query.refetch()} />
      )}
      {kept.length > 0 && <KeptNotes notes={kept} />}
      {query.data && entries.length === 0 && kept.length === 0 && (
        <p className="rounded-md border px-4 py-8 text-center text-sm text-muted-foreground">
          Qui trovi note, chiamate, messaggi e consensi.{isEditable && ' Comincia da una nota.'}
        </p>
      )}
      {[...days].map(([day, some]) => (
        <section key={day} aria-label={day} className="grid gap-2">
          <h3 className="text-xs font-medium text-muted-foreground">{day}</h3>
          <ol className="divide-y rounded-md border bg-card">
            {some.map((entry) => (
              <Entry key={entry.id} entry={entry} names={names} isEditable={isEditable} />
            ))}
          </ol>
        </section>
      ))}
      <MoreButton query={query}>Mostra il passato</MoreButton>
    </section>
  )
}

function KeptNotes({ notes }: { notes: ReturnType<typeof useKeptNotes> }) {
  return (
    <ol aria-label="Note non ancora inviate" className="divide-y rounded-md border border-dashed bg-card">
      {notes.map(({ id, body, writtenAt, refusal }) => (
        <li key={id} className="flex gap-3 px-4 py-3">
          <StickyNoteIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
          <div className="grid min-w-0 flex-1 gap-0.5 text-sm">
            <p className="flex flex-wrap gap-x-2">
              <span className="font-medium">Nota</span>
              <time dateTime={writtenAt} title={fullDate(writtenAt)} className="text-muted-foreground">
                {relativeTime(writtenAt)}
              </time>
              <WaitsForNetwork isRefused={refusal !== null} />
            </p>
            <Markdown text={body} />
          </div>
        </li>
      ))}
    </ol>
  )
}

/** What the row itself does not say in words: of a consent, for what it was. */
function detailOf({ kind, data }: TimelineEntry): string {
  if (kind !== 'consenso') return ''
  const channel = consentChannels[data.channel as keyof typeof consentChannels]
  const purpose = consentPurposes[data.purpose as keyof typeof consentPurposes]
  return [channel, purpose, data.source].filter(Boolean).join(' · ')
}

type EntryProps = { entry: TimelineEntry; names: Names; isEditable: boolean }

function Entry({ entry, names, isEditable }: EntryProps) {
  const removal = useRemoveFromTimeline()
  const Icon = icons[entry.kind] ?? FileTextIcon
  const detail = detailOf(entry)
  const { ref_type, ref_id } = entry
  const written = { ref_type, ref_id }

  async function onRemove() {
    if (!isWritten(written)) return
    try {
      // Awaited: realtime may take this row away before the answer is here, and a callback with it.
      const restore = await removal.mutateAsync(written)
      toast(entry.kind === 'nota' ? 'Nota eliminata' : `Eliminato: ${entry.title}`, {
        duration: UNDO_MS,
        action: {
          label: 'Annulla',
          onClick: () => void restore().catch(() => toast.error('Non siamo riusciti a ripristinare: riprova')),
        },
      })
    } catch {
      toast.error('Non siamo riusciti a eliminare: riprova')
    }
  }

  return (
    <li className="flex gap-3 py-3 pr-2 pl-4">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
      <div className="grid min-w-0 flex-1 gap-0.5 text-sm">
        <p className="flex flex-wrap gap-x-2">
          <span className="font-medium">{entry.title}</span>
          <Whose names={names} contactId={entry.contact_id} />
          {detail && <span className="text-muted-foreground">{detail}</span>}
          <time dateTime={entry.at} title={fullDate(entry.at)} className="text-muted-foreground">
            {relativeTime(entry.at)}
          </time>
        </p>
        {entry.body && <Markdown text={entry.body} />}
        {entry.ref_type === 'mail' && <MailState id={ref_id} data={entry.data} />}
      </div>
      {isEditable && isWritten(written) && (
        <Button
          variant="ghost"
          size="icon"
          className="-my-1.5 shrink-0 text-muted-foreground"
          aria-label={`Elimina: ${entry.title}, ${relativeTime(entry.at)}`}
          disabled={removal.isPending}
          onClick={() => void onRemove()}
        >
          <XIcon aria-hidden />
        </Button>
      )}
    </li>
  )
}

function Loading() {
  return (
    <div aria-busy className="divide-y rounded-md border bg-card">
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="grid gap-2 p-4">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-4/5" />
        </div>
      ))}
    </div>
  )
}
