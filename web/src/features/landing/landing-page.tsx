/** `/`: signed-in people go where they belong, visitors see what Socio is. */
import { CheckIcon } from 'lucide-react'
import { Link, Navigate } from 'react-router'

import { LoadError } from '@/components/load-error'
import { PageSpinner } from '@/components/page-spinner'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { useAuth } from '@/data/auth-context'
import { paths } from '@/paths'

export default function LandingPage() {
  const { user, halfway, profile, isLoading, profileError, reloadProfile } = useAuth()
  if (isLoading) return <PageSpinner />
  if (halfway) return <Navigate to={paths.secondFactor} replace />
  if (user && profileError && !profile) {
    return (
      <div className="column max-w-lg py-16">
        <LoadError text="Non riusciamo a leggere il tuo profilo in questo momento." onRetry={reloadProfile} />
      </div>
    )
  }
  if (user) return <Navigate to={profile?.onboarding_completed ? paths.home : paths.onboarding} replace />
  return <Welcome />
}

const promises = [
  'Clienti, documenti, attività e posta in un posto solo',
  'Un assistente che ricorda e ti dice da dove cominciare',
  'Dati in server europei, sempre esportabili',
]

function Welcome() {
  return (
    <div className="column grid items-center gap-12 py-12 sm:py-20 lg:min-h-[calc(100dvh-3.5rem)] lg:grid-cols-[1.1fr_1fr] lg:gap-20 lg:py-12">
      <PageTitle>Il socio digitale di chi lavora in proprio</PageTitle>
      <section>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Lavori in proprio, non da solo.</h1>
        <p className="mt-5 max-w-lg text-base text-pretty text-muted-foreground sm:text-xl">
          Socio tiene insieme clienti, scadenze e documenti, e ogni mattina ti dice qual è la prossima cosa da fare.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <Button size="lg" asChild>
            <Link to={paths.register}>Crea il tuo account</Link>
          </Button>
          <Button size="lg" variant="outline" asChild>
            <Link to={paths.login}>Accedi</Link>
          </Button>
        </div>
        <ul className="mt-10 grid gap-3 border-t pt-6 text-sm">
          {promises.map((promise) => (
            <li key={promise} className="flex items-start gap-2.5">
              <CheckIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-primary" />
              {promise}
            </li>
          ))}
        </ul>
      </section>
      <Workbook />
    </div>
  )
}

const morning = [
  { time: '9:00', title: 'Richiama Studio Belli', note: 'Preventivo inviato sei giorni fa' },
  { time: '11:30', title: 'Incasso in ritardo', note: 'Fattura 18, scaduta da 12 giorni' },
  { time: '15:00', title: 'Consegna bozza a Officina Nord', note: 'Progetto «Sito», ultima attività aperta' },
]

/** An example of a morning, drawn as a page of the workbook. */
function Workbook() {
  return (
    <figure className="rounded-xl border bg-card p-5 shadow-float sm:p-7">
      <figcaption className="flex items-baseline justify-between gap-3 border-b pb-4">
        <span className="font-display text-2xl font-medium">Buongiorno, Giulia</span>
        <span className="text-xs text-muted-foreground">Esempio</span>
      </figcaption>
      <ol className="divide-y">
        {morning.map(({ time, title, note }) => (
          <li key={time} className="flex gap-4 py-4 last:pb-0">
            <span className="w-11 shrink-0 text-right text-sm text-muted-foreground tabular">{time}</span>
            <span className="grid gap-0.5">
              <span className="text-base font-medium">{title}</span>
              <span className="text-sm text-muted-foreground">{note}</span>
            </span>
          </li>
        ))}
      </ol>
    </figure>
  )
}
