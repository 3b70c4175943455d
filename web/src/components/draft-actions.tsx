/** How a written message leaves: copied, opened in the person's own programs, or sent from their account. */
import { MailIcon, MessageCircleIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { CopyButton } from '@/components/copy-button'
import { SendMailButton } from '@/components/send-mail-button'
import { Button } from '@/components/ui/button'
import { mailLink, whatsAppLink } from '@/lib/message-links'

type Props = {
  draft: {
    channel: string
    recipient: string | null
    subject: string | null
    body: string
    contact_id: string | null
  }
  /** Its PDF may go with it. */
  invoiceId?: string | null
  onSent?: () => void
  /** Whatever else can be done with it. */
  children?: ReactNode
}

export function DraftActions({ draft, invoiceId, onSent, children }: Props) {
  const { channel, recipient, subject, body, contact_id: contactId } = draft
  return (
    <div className="flex flex-wrap gap-2">
      <CopyButton text={subject ? `${subject}\n\n${body}` : body} label="Copia" />
      <Button variant="outline" size="sm" asChild>
        {channel === 'whatsapp' ? (
          <a href={whatsAppLink(draft)} target="_blank" rel="noopener noreferrer">
            <MessageCircleIcon aria-hidden /> Apri WhatsApp
          </a>
        ) : (
          <a href={mailLink(draft)}>
            <MailIcon aria-hidden /> Apri nella posta
          </a>
        )}
      </Button>
      {channel === 'email' && contactId && (
        <SendMailButton
          label="Invia"
          letter={{ contactId, recipient, subject: subject ?? '', body, invoiceId }}
          onSent={onSent}
        />
      )}
      {children}
    </div>
  )
}
