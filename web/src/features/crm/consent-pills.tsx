/** What a contact says to marketing, by channel: an icon and a word. */
import { MailIcon, MessageCircleIcon } from 'lucide-react'

import { Badge } from '@/components/ui/badge'
import type { ListedContact } from '@/data/contacts'
import { consentChannels } from '@/strings/crm'

const channels = { email: MailIcon, whatsapp: MessageCircleIcon }

/** Nothing where nobody has asked. */
export function ConsentPills({ consents }: { consents: ListedContact['consents'] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {(['email', 'whatsapp'] as const).map((channel) => {
        const state = consents[channel]
        if (!state || state === 'non_richiesto') return null
        const Icon = channels[channel]
        const word = state === 'dato' ? 'sì' : 'no'
        return (
          <Badge
            key={channel}
            variant={state === 'dato' ? 'secondary' : 'outline'}
            title={`Marketing per ${consentChannels[channel]}: ${word}`}
          >
            <Icon aria-hidden className="size-3" />
            <span className="sr-only">Marketing per {consentChannels[channel]}: </span>
            {word}
          </Badge>
        )
      })}
    </span>
  )
}
