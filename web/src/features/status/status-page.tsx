/** /status: whether Socio works, for everybody. */
import { clsx } from 'clsx'
import { useEffect, useState } from 'react'

import { IncidentList, PartList, stateDots } from '@/components/service-status'
import { readServiceStatus, type ServiceStatus, worstState } from '@/data/service-status'
import { momentInItaly, overallStates, partNames } from '@/strings/status'

// As often as the parts are asked.
const EVERY_MS = 60_000
const { journey: _journey, ...asked } = partNames
const askedNames = Object.values(asked)

export default function StatusPage() {
  const [status, setStatus] = useState<ServiceStatus>()
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const read = async () => {
      try {
        setStatus(await readServiceStatus())
        setAway(false)
      } catch {
        setAway(true)
      }
    }
    void read()
    const timer = setInterval(() => void read(), EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  return (
    <div className="column grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-8 py-10 sm:py-16">
      <header>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Stato del servizio</h1>
        <p className="mt-5 max-w-2xl text-base text-pretty text-muted-foreground sm:text-xl">
          Ogni minuto chiediamo a ogni parte di Socio se risponde: {askedNames.join(', ')}. Ogni cinque minuti un
          account di prova accede, legge, scrive ed elimina. Qui c’è la risposta, con gli ultimi 90 giorni.
        </p>
      </header>
      <Answer status={status} isAway={isAway} />
    </div>
  )
}

function Answer({ status, isAway }: { status: ServiceStatus | undefined; isAway: boolean }) {
  if (isAway) return <p role="alert">Il server non risponde: riproviamo tra un minuto.</p>
  if (!status) return <p className="text-muted-foreground">Stiamo leggendo lo stato…</p>
  const state = worstState(status)
  return (
    <>
      <div role="status">
        <p className="flex items-center gap-3 text-xl font-semibold">
          <span aria-hidden className={clsx('size-3 shrink-0 rounded-full', stateDots[state])} />
          {overallStates[state]}
        </p>
        {status.checked_at && (
          <p className="mt-1 text-sm text-muted-foreground tabular">
            Ultimo controllo: <time dateTime={status.checked_at}>{momentInItaly(status.checked_at)}</time>
          </p>
        )}
      </div>
      <PartList parts={status.parts} today={status.today} />
      <section aria-labelledby="incidents" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <h2 id="incidents" className="font-display text-2xl font-medium">
          Incidenti
        </h2>
        <IncidentList incidents={status.incidents} />
      </section>
    </>
  )
}
