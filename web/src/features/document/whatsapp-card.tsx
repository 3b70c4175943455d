/** From whom a document came by WhatsApp, and who got it or a reminder of it; nothing where nobody did. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { WholeDocument } from '@/data/document'
import { whatsappOfDocumentQuery } from '@/data/whatsapp'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'

type Props = { document: WholeDocument; invoices: readonly { id: string }[]; userId: string }

export function WhatsappCard({ document, invoices, userId }: Props) {
  const ids = invoices.map(({ id }) => id)
  const { data = [] } = useQuery(whatsappOfDocumentQuery(userId, document.id, ids))
  if (data.length === 0) return null
  return (
    <Card>
      <CardTitle>WhatsApp</CardTitle>
      <ul className="divide-y text-sm">
        {data.map(({ id, channel_id: chatId, direction, at, contacts }) => (
          <li key={id} className="grid py-2">
            <Link className="font-medium break-words hover:underline" to={paths.crmWhatsappChat(chatId, id)}>
              {direction === 'entrata' ? 'Ricevuto da' : 'Inviato a'} {contacts?.name}
            </Link>
            <time dateTime={at} className="text-muted-foreground">
              {fullDate(at)}
            </time>
          </li>
        ))}
      </ul>
    </Card>
  )
}
