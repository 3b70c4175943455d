/** /settings, first part: how Socio looks, and the way to what follows. */
import { BrainIcon, ChevronRightIcon, UserRoundIcon } from 'lucide-react'
import { Link } from 'react-router'

import { PageTitle } from '@/components/page-title'
import { ThemeChoice } from '@/components/theme-choice'
import { Badge } from '@/components/ui/badge'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { paths } from '@/paths'

const sections = [
  { to: paths.settingsProfile, title: 'Profilo', text: 'Nome, immagine, email', icon: UserRoundIcon },
  { to: paths.settingsMemory, title: 'Memoria', text: 'Quello che Socio ricorda di te', icon: BrainIcon },
]

export default function SettingsPage() {
  return (
    <div className="column grid max-w-3xl gap-6 py-8">
      <PageTitle>Impostazioni</PageTitle>
      <h1 className="text-2xl font-semibold">Impostazioni</h1>
      <Card>
        <CardHeader>
          <CardTitle>Aspetto</CardTitle>
          <CardDescription>Vale per questo browser.</CardDescription>
        </CardHeader>
        <ThemeChoice />
      </Card>
      <ul className="divide-y overflow-hidden rounded-md border bg-card">
        {sections.map(({ to, title, text, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex min-h-16 items-center gap-4 px-5 py-3 transition-colors hover:bg-muted focus-visible:-outline-offset-2"
            >
              <Icon aria-hidden className="size-5 text-primary" />
              <span className="grid">
                <span className="font-medium">{title}</span>
                <span className="text-sm text-muted-foreground">{text}</span>
              </span>
              <Badge variant="secondary" className="ml-auto">
                In arrivo
              </Badge>
              <ChevronRightIcon aria-hidden className="size-[18px] text-muted-foreground" />
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
