/** /settings: the hub (PROFILE-11). */
import {
  BellIcon,
  BrainIcon,
  ChevronRightIcon,
  CoinsIcon,
  DownloadIcon,
  HandshakeIcon,
  LandmarkIcon,
  LightbulbIcon,
  LockIcon,
  type LucideIcon,
  PlugIcon,
  ScrollTextIcon,
  ShieldCheckIcon,
  UserRoundIcon,
} from 'lucide-react'
import { Link } from 'react-router'

import { CookiePreferences } from '@/components/cookie-preferences'
import { LanguageChoice } from '@/components/language-choice'
import { PageTitle } from '@/components/page-title'
import { ThemeChoice } from '@/components/theme-choice'
import { Button, buttonVariants } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useInstall } from '@/lib/install'
import { startTour } from '@/lib/tour'
import { paths } from '@/paths'

type Section = { title: string; text: string; icon: LucideIcon }

const sections: (Section & { to: string })[] = [
  { to: paths.settingsProfile, title: 'Profilo', text: 'Nome, foto, firma, orari, email', icon: UserRoundIcon },
  {
    to: paths.settingsBusiness,
    title: 'Attività e dati fiscali',
    text: 'Regime, ATECO, partita IVA, PEC, codice SdI, IBAN',
    icon: LandmarkIcon,
  },
  {
    to: paths.settingsSecurity,
    title: 'Sicurezza',
    text: 'Password, secondo fattore, passkey, dispositivi',
    icon: ShieldCheckIcon,
  },
  {
    to: paths.settingsCredits,
    title: 'Crediti',
    text: 'Saldo, estratto conto, ordini e ricevute',
    icon: CoinsIcon,
  },
  { to: paths.settingsNotifications, title: 'Notifiche', text: 'Che cosa ti diciamo, dove e quando', icon: BellIcon },
  {
    to: paths.settingsChannels,
    title: 'Canali',
    text: 'La posta, i modelli e il numero WhatsApp da cui scrivi',
    icon: PlugIcon,
  },
  {
    to: paths.goals,
    title: 'Autonomia ed etica',
    text: 'Che cosa Socio può fare da solo, e con quali limiti',
    icon: HandshakeIcon,
  },
  { to: paths.settingsMemory, title: 'Memoria', text: 'Quello che Socio ricorda di te', icon: BrainIcon },
  {
    to: paths.settingsData,
    title: 'I tuoi dati',
    text: 'Scaricali, per quanto li teniamo, elimina l’account',
    icon: DownloadIcon,
  },
  {
    to: paths.settingsPrivacy,
    title: 'Privacy',
    text: 'Che cosa teniamo e perché, uso dell’IA, consensi, accessi',
    icon: LockIcon,
  },
  {
    to: paths.settingsAiNotice,
    title: 'Informativa IA',
    text: 'Che cosa dire ai clienti dell’IA che hai usato per loro',
    icon: ScrollTextIcon,
  },
  {
    to: paths.settingsIdeas,
    title: 'Idee',
    text: 'Proponi che cosa manca, vota che cosa fare prima',
    icon: LightbulbIcon,
  },
]

export default function SettingsPage() {
  const install = useInstall()
  return (
    <div className="column grid max-w-3xl gap-6 py-8">
      <PageTitle>Impostazioni</PageTitle>
      <h1 className="text-2xl font-semibold">Impostazioni</h1>
      <ul className="divide-y overflow-hidden rounded-md border bg-card">
        {sections.map(({ to, ...section }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-16 items-center gap-4 px-5 py-3 transition-colors hover:bg-muted focus-visible:-outline-offset-2"
            >
              <SectionText {...section} />
              <ChevronRightIcon aria-hidden className="ml-auto size-[18px] shrink-0 text-muted-foreground" />
            </Link>
          </li>
        ))}
      </ul>
      <Card>
        <CardHeader>
          <CardTitle>Aspetto</CardTitle>
          <CardDescription>Vale per questo browser.</CardDescription>
        </CardHeader>
        <ThemeChoice />
        <LanguageChoice />
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" onClick={startTour}>
            Rivedi la guida
          </Button>
          {install && (
            <Button variant="outline" onClick={install}>
              Installa l’app
            </Button>
          )}
          <CookiePreferences className={buttonVariants({ variant: 'outline' })} />
        </div>
      </Card>
    </div>
  )
}

function SectionText({ title, text, icon: Icon }: Section) {
  return (
    <>
      <Icon aria-hidden className="size-5 shrink-0 text-primary" />
      <span className="grid">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-muted-foreground">{text}</span>
      </span>
    </>
  )
}
