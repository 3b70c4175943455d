/** The conversations by WhatsApp with a contact, on its page; nothing without one. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Card } from '@/components/ui/card'
import { whatsappChatsOfQuery } from '@/data/whatsapp'
import { WhatsappChatView } from '@/features/crm/whatsapp-chat'

export default function ContactWhatsapp({ userId, contactId }: { userId: string; contactId: string }) {
  const { data, isError, refetch } = useQuery(whatsappChatsOfQuery(userId, contactId))
  if (isError && !data)
    return <LoadError text="Non riusciamo a leggere i messaggi WhatsApp." onRetry={() => void refetch()} />
  return data?.map((chat) => (
    <Card key={chat.id}>
      <WhatsappChatView userId={userId} chat={chat} />
    </Card>
  ))
}
