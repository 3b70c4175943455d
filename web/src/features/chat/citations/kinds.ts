/** What the records are called that an answer cites. */
import {
  BrainIcon,
  CoinsIcon,
  FileTextIcon,
  FolderKanbanIcon,
  HandshakeIcon,
  ListTodoIcon,
  MailIcon,
  type LucideIcon,
  ReceiptTextIcon,
  StickyNoteIcon,
  PenLineIcon,
  SmartphoneIcon,
  TargetIcon,
  UserRoundIcon,
} from 'lucide-react'

import type { RefKind } from '@/data/chat'

export const refKinds: Record<RefKind, { label: string; icon: LucideIcon; open: string }> = {
  contact: { label: 'Contatto', icon: UserRoundIcon, open: 'Apri la scheda' },
  deal: { label: 'Trattativa', icon: HandshakeIcon, open: 'Apri la trattativa' },
  task: { label: 'Attività', icon: ListTodoIcon, open: 'Apri l’attività' },
  project: { label: 'Progetto', icon: FolderKanbanIcon, open: 'Apri il progetto' },
  document: { label: 'Documento', icon: FileTextIcon, open: 'Apri il documento' },
  invoice: { label: 'Fattura', icon: ReceiptTextIcon, open: 'Apri la fattura' },
  memory: { label: 'Ricordo', icon: BrainIcon, open: 'Vai alla memoria' },
  note: { label: 'Nota', icon: StickyNoteIcon, open: 'Apri la scheda' },
  draft: { label: 'Bozza', icon: PenLineIcon, open: 'Apri la scheda' },
  mail: { label: 'Email', icon: MailIcon, open: 'Apri la conversazione' },
  whatsapp: { label: 'WhatsApp', icon: SmartphoneIcon, open: 'Apri la conversazione' },
  goal: { label: 'Obiettivo', icon: TargetIcon, open: 'Leggi il piano' },
  credits: { label: 'Crediti', icon: CoinsIcon, open: 'Vai ai crediti' },
}
