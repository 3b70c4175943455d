/** An archive without a document in it yet: what happens to the first one. */
import { CalendarClockIcon, FileTextIcon, type LucideIcon, SearchIcon, UploadIcon, UserRoundIcon } from 'lucide-react'

import { EmptyState } from '@/components/empty-state'
import { Button } from '@/components/ui/button'

const examples: { icon: LucideIcon; title: string; text: string }[] = [
  {
    icon: CalendarClockIcon,
    title: 'Una fattura XML o P7M',
    text: 'La leggi come su carta; la scadenza diventa un promemoria.',
  },
  {
    icon: SearchIcon,
    title: 'La foto di uno scontrino',
    text: 'Il testo si riconosce da solo: la ritrovi cercando una parola.',
  },
  {
    icon: UserRoundIcon,
    title: 'Un contratto in PDF',
    text: 'Si collega al contatto giusto, con tutte le sue pagine.',
  },
]

type Props = { onChoose: () => void; onSample: () => void }

export function EmptyDocuments({ onChoose, onSample }: Props) {
  return (
    <EmptyState
      icon={FileTextIcon}
      title="Ancora nessun documento"
      text="Quello che carichi lo vedi solo tu. Leggerlo non costa crediti."
    >
      <ul className="grid w-full max-w-3xl gap-3 py-2 text-left sm:grid-cols-3">
        {examples.map(({ icon: Icon, title, text }) => (
          <li key={title} className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 rounded-md bg-muted p-3 text-sm">
            <Icon aria-hidden className="mt-0.5 size-4.5 text-primary" strokeWidth={1.5} />
            <span className="font-medium">{title}</span>
            <span className="col-start-2 text-muted-foreground">{text}</span>
          </li>
        ))}
      </ul>
      <Button onClick={onChoose}>
        <UploadIcon aria-hidden /> Carica il primo documento
      </Button>
      <Button variant="ghost" size="sm" onClick={onSample}>
        Prova con una fattura di esempio
      </Button>
    </EmptyState>
  )
}
