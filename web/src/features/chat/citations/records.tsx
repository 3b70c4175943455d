/** Each kind of record that an answer may cite, with what one wants to know of it at a glance. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { FilledDraft } from '@/components/filled-places'
import { PhoneNumber } from '@/components/phone-number'
import type { ChatRef, RefKind } from '@/data/chat'
import { contactQuery } from '@/data/contacts'
import { openDealsQuery, openTasksQuery } from '@/data/contacts-work'
import { draftQuery } from '@/data/drafts'
import { oneMailThreadQuery } from '@/data/inbox'
import { memoriesQuery } from '@/data/memories'
import { projectsQuery } from '@/data/projects'
import { dealRecordQuery, invoiceRecordQuery, noteRecordQuery } from '@/data/records'
import { taskQuery } from '@/data/tasks'
import { balanceQuery } from '@/data/wallet'
import { whatsappMessageQuery } from '@/data/whatsapp-search'
import { refKinds } from '@/features/chat/citations/kinds'
import { Loaded, OpenRecord, RecordFacts } from '@/features/chat/citations/record-facts'
import { describeDue } from '@/lib/quick-add/describe'
import { wallTime } from '@/lib/rome-time'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { dayAndMonth, relativeTime, shortDate } from '@/strings/dates'
import { memoryKinds, memorySources, memoryStates } from '@/strings/memory'
import { formatMoney } from '@/strings/numbers'
import { projectStatuses, taskStates } from '@/strings/tasks'

type Props = { userId: string; record: ChatRef }

export function Record(props: Props): ReactNode {
  const View = views[props.record.kind]
  return <View {...props} />
}

const views: { [Kind in RefKind]: (props: Props) => ReactNode } = {
  contact: ContactRecord,
  deal: DealRecord,
  task: TaskRecord,
  project: ProjectRecord,
  document: DocumentRecord,
  invoice: InvoiceRecord,
  memory: MemoryRecord,
  note: NoteRecord,
  draft: DraftRecord,
  credits: CreditsRecord,
  mail: MailRecord,
  whatsapp: WhatsappRecord,
  goal: GoalRecord,
}

const day = (iso: string | null | undefined) => (iso ? shortDate(iso) : null)

function ContactRecord({ record: { id } }: Props) {
  const query = useQuery(contactQuery(id))
  const { data: deals = [] } = useQuery(openDealsQuery(id))
  const { data: tasks = [] } = useQuery(openTasksQuery(id))
  return (
    <Loaded query={query}>
      {(contact) => (
        <>
          <RecordFacts
            facts={[
              ['Lavora per', contact.listed?.company_name],
              ['Ruolo', contact.job_title],
              ['Email', contact.emails[0]?.value],
              [
                'Telefono',
                contact.phones[0] && <PhoneNumber value={contact.phones[0].norm} className="hover:underline" />,
              ],
              ['Ultimo contatto', contact.last_interaction_at && relativeTime(contact.last_interaction_at)],
              ['Da risentire', day(contact.next_touch_at)],
              ['Trattative aperte', deals.length || null],
              ['Attività aperte', tasks.length || null],
            ]}
            text={contact.note}
          />
          <OpenRecord to={paths.crmContact(id)}>{refKinds.contact.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function DealRecord({ userId, record: { id } }: Props) {
  const query = useQuery(dealRecordQuery(userId, id))
  return (
    <Loaded query={query}>
      {(deal) => (
        <>
          <RecordFacts
            facts={[
              ['Importo', formatMoney(deal.amount_cents, deal.currency)],
              ['Fase', deal.won_at ? 'Vinta' : deal.lost_at ? 'Persa' : deal.stage.name],
              ['Contatto', deal.contact?.name],
              ['Chiusura prevista', day(deal.expected_close)],
            ]}
          />
          <OpenRecord to={paths.crmDeal(id)}>{refKinds.deal.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function TaskRecord({ userId, record: { id } }: Props) {
  const query = useQuery(taskQuery(userId, id))
  return (
    <Loaded query={query}>
      {(task) => (
        <>
          <RecordFacts
            facts={[
              ['Stato', taskStates[task.state]],
              ['Scadenza', task.due_at && dueOf(task.due_at, task.due_is_allday)],
              ['Contatto', task.contact?.name],
              ['In attesa di', task.waiting?.name],
            ]}
            text={task.notes}
          />
          <OpenRecord to={paths.task(id)}>{refKinds.task.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function dueOf(at: string, isAllDay: boolean): string {
  const wall = wallTime(at)
  return describeDue(isAllDay ? wall.slice(0, 10) : wall, isAllDay, new Date())
}

function ProjectRecord({ userId, record: { id } }: Props) {
  const query = useQuery({
    ...projectsQuery(userId),
    select: (projects) => projects.find((project) => project.id === id) ?? null,
  })
  return (
    <Loaded query={query}>
      {(project) => (
        <>
          <RecordFacts
            facts={[
              ['Stato', projectStatuses[project.status]],
              ['Contatto', project.contact?.name],
              ['Attività aperte', project.openCount],
              ['Attività fatte', project.doneCount],
            ]}
          />
          <OpenRecord to={paths.project(id)}>{refKinds.project.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function DocumentRecord({ record: { id } }: Props) {
  return <OpenRecord to={paths.document(id)}>{refKinds.document.open}</OpenRecord>
}

function InvoiceRecord({ userId, record: { id } }: Props) {
  const query = useQuery(invoiceRecordQuery(userId, id))
  return (
    <Loaded query={query}>
      {(invoice) => {
        const next = invoice.schedules.find(({ paid_on: paidOn }) => !paidOn)
        return (
          <>
            <RecordFacts
              facts={[
                ['Numero', invoice.number],
                [
                  invoice.direction === 'attiva' ? 'Cliente' : 'Fornitore',
                  invoice.contact?.name ?? invoice.counterparty_name,
                ],
                ['Del', day(invoice.issued_on)],
                ['Totale', formatMoney(invoice.total_cents, invoice.currency)],
                ['Pagata il', day(invoice.paid_on)],
                [
                  invoice.direction === 'attiva' ? 'Da incassare entro' : 'Da pagare entro',
                  invoice.paid_on ? null : day(next?.due_on),
                ],
              ]}
            />
            <OpenRecord to={paths.document(invoice.document_id)}>{refKinds.invoice.open}</OpenRecord>
          </>
        )
      }}
    </Loaded>
  )
}

function MemoryRecord({ userId, record: { id } }: Props) {
  const query = useQuery({
    ...memoriesQuery(userId),
    select: (memories) => memories.find((memory) => memory.id === id) ?? null,
  })
  return (
    <Loaded query={query}>
      {(memory) => (
        <>
          <RecordFacts
            facts={[
              ['Tipo', memoryKinds[memory.kind]],
              ['Stato', memoryStates[memory.state]],
              ['Da dove', `${memorySources[memory.source]}, ${dayAndMonth(memory.created_at)}`],
              ['Parole', memory.source_quote && `«${memory.source_quote}»`],
            ]}
            text={memory.body}
          />
          <OpenRecord to={paths.settingsMemory}>{refKinds.memory.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function NoteRecord({ userId, record: { id } }: Props) {
  const query = useQuery(noteRecordQuery(userId, id))
  return (
    <Loaded query={query}>
      {(note) => (
        <>
          <RecordFacts
            facts={[
              ['Contatto', note.contact.name],
              ['Scritta', day(note.created_at)],
            ]}
            text={note.body}
          />
          <OpenRecord to={paths.crmContact(note.contact.id)}>{refKinds.note.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function DraftRecord({ userId, record: { id } }: Props) {
  const query = useQuery(draftQuery(userId, id))
  return (
    <Loaded query={query}>
      {(draft) => (
        <>
          <FilledDraft draft={draft}>
            {({ recipient, subject, body }) => (
              <RecordFacts
                facts={[
                  ['A', recipient],
                  ['Oggetto', subject],
                ]}
                text={body}
              />
            )}
          </FilledDraft>
          {draft.contact_id && <OpenRecord to={paths.crmContact(draft.contact_id)}>{refKinds.draft.open}</OpenRecord>}
        </>
      )}
    </Loaded>
  )
}

function CreditsRecord({ userId }: Props) {
  const query = useQuery(balanceQuery(userId))
  return (
    <Loaded query={query}>
      {(balance) => (
        <>
          <RecordFacts facts={[['Saldo', credits(balance)]]} />
          <OpenRecord to={paths.settingsCredits}>{refKinds.credits.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function MailRecord({ userId, record: { id } }: Props) {
  const query = useQuery(oneMailThreadQuery(userId, id))
  return (
    <Loaded query={query}>
      {(thread) => (
        <>
          <RecordFacts
            facts={[
              ['Con', thread.party_name ?? thread.party],
              ['Ultimo messaggio', relativeTime(thread.last_at)],
              ['Stato', thread.is_done ? 'Gestita' : 'Da gestire'],
            ]}
            text={thread.snippet}
          />
          <OpenRecord to={paths.crmMailThread(id)}>{refKinds.mail.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function WhatsappRecord({ userId, record: { id } }: Props) {
  const query = useQuery(whatsappMessageQuery(userId, id))
  return (
    <Loaded query={query}>
      {(message) => (
        <>
          <RecordFacts
            facts={[
              [message.direction === 'uscita' ? 'A' : 'Da', message.contacts?.name],
              ['Quando', relativeTime(message.at)],
            ]}
            text={message.summary}
          />
          <OpenRecord to={paths.crmWhatsappChat(message.channel_id, id)}>{refKinds.whatsapp.open}</OpenRecord>
        </>
      )}
    </Loaded>
  )
}

function GoalRecord() {
  return <p className="text-sm text-pretty">Il piano dice passi, costi e limiti. Parte solo con il tuo mandato.</p>
}
