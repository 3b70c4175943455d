/** Steps 2 and 3: they say what is there and what comes. Nothing is offered that does not work. */
import {
  BellIcon,
  ContactIcon,
  FileSpreadsheetIcon,
  MailIcon,
  MessageCircleIcon,
  ReceiptTextIcon,
  SmartphoneIcon,
} from 'lucide-react'

import { type OutlookItem, OutlookList } from '@/features/onboarding/outlook-list'
import { StepActions, StepCard } from '@/features/onboarding/step-card'

type Props = { isSaving: boolean; onBack: () => void; onSkip: () => void; onContinue: () => void }

const sources: OutlookItem[] = [
  {
    icon: ContactIcon,
    title: 'Contatti',
    text: 'Da telefono o Gmail: su iCloud «Esporta vCard», su Google Contatti «Esporta», formato vCard.',
    state: 'Attivo',
  },
  {
    icon: FileSpreadsheetIcon,
    title: 'Elenchi Excel',
    text: 'Salva il foglio come CSV, una riga per cliente: le colonne si riconoscono da sole e vedi tutto prima.',
    state: 'Attivo',
  },
  {
    icon: ReceiptTextIcon,
    title: 'Fatture XML',
    text: 'Scaricale dal portale Fatture e Corrispettivi e trascinale in Documenti: scadenze e importi si leggono da soli.',
    state: 'Attivo',
  },
]

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
    text: 'Scriverai ai clienti dal loro fascicolo, con il tuo indirizzo.',
    state: 'In arrivo',
  },
  {
    icon: MessageCircleIcon,
    title: 'WhatsApp',
    text: 'I messaggi dei clienti accanto ai loro dati. Niente parte senza il tuo sì.',
    state: 'In arrivo',
  },
  {
    icon: SmartphoneIcon,
    title: 'Avvisi sul telefono',
    text: 'Li accendi tu, solo se li vuoi.',
    state: 'In arrivo',
  },
]

export function ImportStep(actions: Props) {
  return (
    <StepCard
      title="Importa"
      intro="Ecco che cosa puoi portare con te. Appena hai finito, lo trovi in CRM → Importa e in Documenti."
    >
      <OutlookList items={sources} />
      <StepActions {...actions} />
    </StepCard>
  )
}

export function ChannelsStep(actions: Props) {
  return (
    <StepCard
      title="Canali"
      intro="Da dove ti arrivano le cose da fare. Oggi ne funziona uno, gli altri si collegano più tardi."
    >
      <OutlookList items={channels} />
      <StepActions {...actions} />
    </StepCard>
  )
}
