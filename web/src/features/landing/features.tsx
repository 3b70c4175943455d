import {
  BrainIcon,
  FileTextIcon,
  FolderKanbanIcon,
  type LucideIcon,
  MailIcon,
  SunriseIcon,
  TargetIcon,
  UsersIcon,
  VoteIcon,
} from 'lucide-react'

import { Badge } from '@/components/ui/badge'
import { Section } from '@/features/landing/section'

type Feature = {
  icon: LucideIcon
  title: string
  description: string
  /** On the roadmap, not in the product yet. */
  isAnnounced?: boolean
}

const features: Feature[] = [
  {
    icon: BrainIcon,
    title: 'Chat con memoria condivisa',
    description: 'Chiedi come chiederesti a un collega: sa chi è Rossi, che cosa gli hai promesso e quando.',
  },
  {
    icon: VoteIcon,
    title: 'Cinque agenti, un consiglio',
    description:
      'Logico, creativo, strategico, etico ed esecutore guardano la stessa domanda e ti dicono dove non concordano.',
  },
  {
    icon: TargetIcon,
    title: 'Obiettivi in autonomia',
    description:
      'Gli dai un traguardo, lui prepara i passi. Un supervisore etico li controlla e l’ultima parola resta tua.',
    isAnnounced: true,
  },
  {
    icon: UsersIcon,
    title: 'CRM che si compila da solo',
    description:
      'Importi i contatti con la loro storia e vedi chi aspetta una risposta e da quanto. Da WhatsApp: in arrivo.',
  },
  {
    icon: FileTextIcon,
    title: 'Documenti letti per te',
    description: 'Scontrini, contratti, FatturaPA: li carichi, Socio li legge con l’OCR e trova importi e scadenze.',
  },
  {
    icon: FolderKanbanIcon,
    title: 'Attività e progetti',
    description: 'Ogni impegno sta accanto al cliente e al documento da cui nasce. Niente da ricopiare.',
  },
  {
    icon: MailIcon,
    title: 'Email e WhatsApp',
    description: 'Legge le conversazioni, le riassume e prepara la risposta. La invii tu, quando ti va bene.',
    isAnnounced: true,
  },
  {
    icon: SunriseIcon,
    title: 'Briefing e suggerimenti',
    description: 'Ogni mattina tre cose da cui cominciare, con il perché. E i numeri che stanno cambiando.',
  },
]

/** What Socio does, in eight cards. */
export function Features() {
  return (
    <Section
      id="funzioni"
      title="Otto cose che smetti di fare a mano"
      intro="Stanno insieme perché si parlano: quello che impara una, lo sanno tutte."
    >
      <ul className="grid gap-px overflow-hidden rounded-xl border bg-border sm:grid-cols-2 lg:grid-cols-4">
        {features.map(({ icon: Icon, title, description, isAnnounced }) => (
          <li key={title} className="bg-card p-6">
            <Icon aria-hidden className="size-6 text-primary" />
            <h3 className="mt-4 text-base font-semibold">{title}</h3>
            {isAnnounced && (
              <Badge variant="secondary" className="mt-1.5">
                In arrivo
              </Badge>
            )}
            <p className="mt-1.5 text-sm text-pretty text-muted-foreground">{description}</p>
          </li>
        ))}
      </ul>
      <p className="mt-6 text-sm text-muted-foreground">
        Server nell’Unione europea, GDPR rispettato, dati che restano tuoi. In arrivo: esportarli tutti o cancellarli
        con un pulsante.
      </p>
    </Section>
  )
}
