/** What hangs on a contact: money, deals, tasks, documents, drafts, what Socio remembers; of a company its people's too. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { Choice } from '@/components/choice'
import { RelatedMails } from '@/components/related-mails'
import { Card, CardTitle } from '@/components/ui/card'
import type { WholeContact } from '@/data/contacts'
import { documentsAboutQuery, memoriesAboutQuery } from '@/data/contacts-papers'
import { peopleQuery } from '@/data/contacts-work'
import { ContactMoney } from '@/features/crm/contact-money'
import { Drafts } from '@/features/crm/drafts'
import { OpenWork } from '@/features/crm/open-work'
import { type Names, PapersSection, Whose } from '@/features/crm/papers-section'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { documentName } from '@/strings/document-name'
import { documentKindLabels } from '@/strings/documents'

const line = 'flex min-h-11 items-center justify-between gap-3 py-2 text-sm'
const all = 'text-sm font-medium text-primary hover:underline'

export function ContactPapers({ userId, contact }: { userId: string; contact: WholeContact }) {
  const isCompany = contact.type === 'azienda'
  const { data: people = [] } = useQuery({ ...peopleQuery(contact.id), enabled: isCompany })
  const [isAlone, setAlone] = useState(false)
  const near = isCompany && !isAlone ? people : []
  const contactIds = [contact.id, ...near.map(({ id }) => id)]
  const names: Names = new Map(near.map(({ id, name }) => [id, name]))
  return (
    <>
      {people.length > 0 && (
        <Choice
          label="Di chi"
          value={isAlone ? 'azienda' : 'tutti'}
          options={[
            ['tutti', 'Anche le persone'],
            ['azienda', 'Solo l’azienda'],
          ]}
          onChange={(value) => setAlone(value === 'azienda')}
        />
      )}
      <ContactMoney contact={contact} contactIds={contactIds} names={names} />
      <OpenWork contactIds={contactIds} names={names} />
      <Documents contactIds={contactIds} names={names} />
      <Card className="gap-3">
        <CardTitle>Email</CardTitle>
        <RelatedMails userId={userId} about={{ contactId: contact.id }} />
      </Card>
      <Drafts userId={userId} contactId={contact.id} />
      <Memories contactId={contact.id} />
    </>
  )
}

function Documents({ contactIds, names }: { contactIds: readonly string[]; names: Names }) {
  const query = useQuery(documentsAboutQuery(contactIds))
  return (
    <PapersSection
      title="Documenti"
      query={query}
      count={({ count }) => count}
      none="Nessun documento."
      failed="Non riusciamo a leggere i documenti."
      all={{ to: `${paths.documents}?contatto=${contactIds[0]}`, text: 'Tutti i documenti' }}
    >
      {({ documents }) =>
        documents.map((document) => {
          const { id, filename, kind, created_at, contact_id } = document
          const name = documentName(document)
          return (
            <li key={id} className={line}>
              <span className="grid min-w-0">
                <Link to={paths.document(id)} className="truncate font-medium hover:underline">
                  {name}
                </Link>
                <span className="truncate text-muted-foreground">
                  {name === filename ? documentKindLabels[kind] : filename}
                </span>
                <Whose names={names} contactId={contact_id} />
              </span>
              <time dateTime={created_at} className="shrink-0 text-muted-foreground tabular">
                {shortDate(created_at)}
              </time>
            </li>
          )
        })
      }
    </PapersSection>
  )
}

function Memories({ contactId }: { contactId: string }) {
  const { data: memories = [] } = useQuery(memoriesAboutQuery(contactId))
  if (memories.length === 0) return null
  return (
    <Card>
      <CardTitle>Che cosa ricordo</CardTitle>
      <ul className="divide-y">
        {memories.map(({ id, body }) => (
          <li key={id} className="py-2 text-sm break-words">
            {body}
          </li>
        ))}
      </ul>
      <Link to={paths.settingsMemory} className={all}>
        Vai alla memoria
      </Link>
    </Card>
  )
}
