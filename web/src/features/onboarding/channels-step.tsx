/** Step 3 says what is on and what is connected later. Nothing is offered that does not work. */
import { BellIcon, MailIcon, MessageCircleIcon, SmartphoneIcon } from 'lucide-react'

import { type OutlookItem, OutlookList } from '@/features/onboarding/outlook-list'
import { StepActions, StepCard } from '@/features/onboarding/step-card'

type Props = { isSaving: boolean; onBack: () => void; onSkip: () => void; onContinue: () => void }

const channels: OutlookItem[] = [
  {
    icon: BellIcon,
    title: 'Avvisi in Socio',
    text: 'La campanella in alto mostra quelli nuovi; i vecchi restano nella pagina Notifiche.',
    state: 'Attivo',
  },
  {
    icon: MailIcon,
    title: 'Email',
    text: 'Scrivi ai clienti dalla loro scheda, con il tuo indirizzo: lo colleghi in Impostazioni → Canali.',
    state: 'Da collegare',
  },
  {
    icon: MessageCircleIcon,
    title: 'WhatsApp',
    text: 'I messaggi dei clienti accanto ai loro dati: il numero lo colleghi in Impostazioni → Canali.',
    state: 'Da collegare',
  },
  {
    icon: SmartphoneIcon,
    title: 'Avvisi sul telefono',
    text: 'Li accendi tu, solo se li vuoi: Impostazioni → Notifiche.',
    state: 'Da accendere',
  },
]

export function ChannelsStep(actions: Props) {
  return (
    <StepCard title="Canali" intro="Da dove ti arrivano le cose da fare, e da dove rispondi.">
      <OutlookList items={channels} />
      <StepActions {...actions} />
    </StepCard>
  )
}
