import { ProviderConsentDialog } from '@/components/provider-consent-dialog'
import type { ChatSettings } from '@/data/chat-settings'
import { modelOf } from '@/strings/chat'

type Props = { settings: ChatSettings; confirm: string; onAgree: () => void; onClose: () => void }

/** Says who hears a voice note, before the first one goes out. */
export function VoiceConsentDialog({ settings: { provider, in_eu: inEu }, ...props }: Props) {
  return (
    <ProviderConsentDialog title="Chi ascolta il messaggio" {...props}>
      La trascrizione la fa {modelOf(provider, inEu)}. Riceve l’audio, non il nome di chi parla.
    </ProviderConsentDialog>
  )
}
