/** How a written message leaves: copied, or opened in the person's own programs. Nothing is sent from here. */
import { MailIcon, MessageCircleIcon } from 'lucide-react'
import type { ReactNode } from 'react'

import { CopyButton } from '@/components/copy-button'
import { Button } from '@/components/ui/button'
import { mailLink, whatsAppLink } from '@/lib/message-links'

type Props = {
  draft: { channel: string; recipient: string | null; subject: string | null; body: string }
  /** Whatever else can be done with it. */
  children?: ReactNode
}

export function DraftActions({ draft, children }: Props) {
  const { channel, subject, body } = draft
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
      {children}
    </div>
  )
}
