/** From whom a document came by WhatsApp, and to whom it was sent; nothing for one that did neither. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { WholeDocument } from '@/data/document'
import { whatsappOfDocumentQuery } from '@/data/whatsapp'
import { paths } from '@/paths'
import { fullDate } from '@/strings/dates'

export function WhatsappCard({ document, userId }: { document: WholeDocument; userId: string }) {
  const { data = [] } = useQuery(whatsappOfDocumentQuery(userId, document.id))
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
