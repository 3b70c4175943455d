/** Of a contact: invoices that wait to be paid, documents, drafts, what Socio remembers; each only where there is something. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import { documentsAboutQuery, memoriesAboutQuery, openInvoicesQuery } from '@/data/contacts-papers'
import { Drafts } from '@/features/crm/drafts'
import { paths } from '@/paths'
import { shortDate } from '@/strings/dates'
import { documentName } from '@/strings/document-name'
import { documentKindLabels } from '@/strings/documents'
import { formatMoney } from '@/strings/numbers'

const line = 'flex min-h-11 items-center justify-between gap-3 py-2 text-sm'
const all = 'text-sm font-medium text-primary hover:underline'

export function ContactPapers({ userId, contactId }: { userId: string; contactId: string }) {
  return (
    <>
      <OpenInvoices contactId={contactId} />
      <Documents contactId={contactId} />
      <Drafts userId={userId} contactId={contactId} />
      <Memories contactId={contactId} />
    </>
  )
}

function OpenInvoices({ contactId }: { contactId: string }) {
  const { data: invoices = [] } = useQuery(openInvoicesQuery(contactId))
  if (invoices.length === 0) return null
  return (
    <Card>
      <CardTitle>Fatture aperte</CardTitle>
      <ul className="divide-y">
        {invoices.map(({ id, document_id, number, direction, issued_on, open_cents, currency }) => (
          <li key={id} className={line}>
            <span className="grid min-w-0">
              <Link to={paths.document(document_id)} className="truncate font-medium hover:underline">
                {number}
              </Link>
              <span className="text-muted-foreground">
                {direction === 'attiva' ? 'da incassare' : 'da pagare'}, del {shortDate(issued_on)}
              </span>
            </span>
            <span className="shrink-0 tabular">{formatMoney(open_cents, currency)}</span>
          </li>
        ))}
      </ul>
      <Link to={paths.documentsInvoices} className={all}>
        Tutte le fatture
      </Link>
    </Card>
  )
}

function Documents({ contactId }: { contactId: string }) {
  const { data } = useQuery(documentsAboutQuery(contactId))
  if (!data || data.count === 0) return null
  return (
    <Card>
      <CardTitle>Documenti ({data.count})</CardTitle>
      <ul className="divide-y">
        {data.documents.map((document) => {
          const { id, filename, kind, created_at } = document
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
              </span>
              <time dateTime={created_at} className="shrink-0 text-muted-foreground tabular">
                {shortDate(created_at)}
              </time>
            </li>
          )
        })}
      </ul>
      {data.count > data.documents.length && (
        <Link to={`${paths.documents}?contatto=${contactId}`} className={all}>
          Tutti i documenti
        </Link>
      )}
    </Card>
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
