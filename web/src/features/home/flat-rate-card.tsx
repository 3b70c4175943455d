/** The regime forfettario: how near the threshold the takings of the year are, what to set aside, and «what if». */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { Gauge } from '@/components/charts/gauge'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { setAsideQuery, useAddTaxDeadlines } from '@/data/flat-rate'
import type { FlatRate } from '@/data/home'
import FlatRateDialog from '@/features/home/flat-rate-dialog'
import { priceOf } from '@/lib/typed-amount'
import { paths } from '@/paths'
import { longDay } from '@/strings/days'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'
import { dayInFull } from '@/strings/tasks'

type Props = { userId: string; flatRate: FlatRate }

export default function FlatRateCard({ userId, flatRate }: Props) {
  const [isChoosing, setIsChoosing] = useState(false)
  const { threshold_cents: threshold, exit_cents: exit, cash_cents: cash, set_aside: aside, year } = flatRate
  // Without its threshold the law is not known here: better nothing than a guess.
  if (threshold === null || exit === null) return null
  return (
    <Card id="forfettario">
      <CardTitle>Forfettario {year}</CardTitle>
      <Gauge
        label="Incassi dell’anno"
        value={cash}
        limit={exit}
        warning={threshold}
        text={`${Math.floor((100 * cash) / threshold)} %`}
        sentence={`Incassati ${formatEuro(cash)} di ${formatEuro(threshold)}`}
      />
      <p className="text-sm text-pretty">{outlook(flatRate, threshold, exit)}</p>
      {aside ? (
        <p className="text-sm text-pretty">
          Metti da parte <strong className="tabular">{formatEuro(aside.cents)}</strong>: imposta sostitutiva{' '}
          {formatEuro(aside.tax_cents)}, contributi {formatEuro(aside.contribution_cents)}.
        </p>
      ) : (
        <p className="text-sm text-pretty text-muted-foreground">
          Con due risposte Socio stima quanto mettere da parte per imposta e contributi.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="secondary" size="sm" onClick={() => setIsChoosing(true)}>
          {aside ? 'Cambia le risposte' : 'Calcola quanto mettere da parte'}
        </Button>
        <DeadlinesButton userId={userId} />
      </div>
      <WhatIf userId={userId} flatRate={flatRate} threshold={threshold} exit={exit} />
      <Sources flatRate={flatRate} />
      {isChoosing && <FlatRateDialog userId={userId} flatRate={flatRate} onClose={() => setIsChoosing(false)} />}
    </Card>
  )
}

/** The days of F24 and stamp duty become tasks, where they are looked for. */
function DeadlinesButton({ userId }: { userId: string }) {
  const navigate = useNavigate()
  const add = useAddTaxDeadlines(userId)
  const press = () =>
    add.mutate(undefined, {
      onSuccess: (count) =>
        toast.success(
          count
            ? `Nelle attività: ${countText(count, 'scadenza', 'scadenze')} in più`
            : 'Le prossime scadenze ci sono già',
          {
            action: { label: 'Apri', onClick: () => void navigate(paths.tasks) },
          },
        ),
      onError: () => toast.error('Non siamo riusciti ad aggiungerle: riprova'),
    })
  return (
    <Button variant="secondary" size="sm" disabled={add.isPending} onClick={press}>
      Segna F24 e bollo
    </Button>
  )
}

/** How the year goes on, in a sentence or two. */
function outlook(told: FlatRate, threshold: number, exit: number): string {
  if (told.over_exit_on)
    return `Hai superato ${formatEuro(exit)} (${longDay(told.over_exit_on)}): il forfettario finisce subito. Senti il commercialista prima della prossima fattura.`
  if (told.over_threshold_on)
    return `Hai superato ${formatEuro(threshold)} (${longDay(told.over_threshold_on)}): dal ${told.year + 1} esci dal forfettario. Oltre ${formatEuro(exit)} ne esci subito.`
  if (told.reaches_threshold_on)
    return `Di questo passo superi la soglia ${dayInFull(told.reaches_threshold_on)}. Conta quando incassi, non quando fatturi.`
  if (told.projected_cents !== null)
    return `Di questo passo chiudi il ${told.year} a ${formatEuro(told.projected_cents)}, sotto la soglia.`
  return `Ti restano ${formatEuro(threshold - told.cash_cents)} prima della soglia.`
}

/** What one more payment would change, before it is invoiced or cashed. */
function WhatIf({ userId, flatRate, threshold, exit }: Props & { threshold: number; exit: number }) {
  const [typed, setTyped] = useState('')
  const extra = priceOf(typed)
  const total = flatRate.cash_cents + (extra ?? 0)
  const { data: then } = useQuery({ ...setAsideQuery(userId, total), enabled: !!extra && flatRate.set_aside !== null })
  const more = then && flatRate.set_aside ? then.cents - flatRate.set_aside.cents : null
  return (
    <div className="grid gap-1.5">
      <Label htmlFor="flat-rate-extra">E se incassi ancora…</Label>
      <Input
        id="flat-rate-extra"
        inputMode="decimal"
        placeholder="per esempio 2.500"
        value={typed}
        aria-invalid={typed !== '' && extra === null}
        aria-describedby="flat-rate-then"
        onChange={({ target }) => setTyped(target.value)}
      />
      <p id="flat-rate-then" aria-live="polite" className="min-h-5 text-sm text-pretty text-muted-foreground">
        {typed !== '' && extra === null && 'Scrivi un importo in euro, per esempio 2.500 o 2.500,00.'}
        {!!extra && `Arrivi a ${formatEuro(total)}: ${place(total, threshold, exit)}.`}
        {more !== null && !!extra && ` Da mettere da parte ${formatEuro(more)} in più.`}
      </p>
    </div>
  )
}

function place(total: number, threshold: number, exit: number): string {
  if (total > exit) return `oltre ${formatEuro(exit)} esci subito dal forfettario`
  if (total > threshold) return `oltre ${formatEuro(threshold)} esci dal forfettario dal prossimo anno`
  return `ti restano ${formatEuro(threshold - total)} prima della soglia`
}

function Sources({ flatRate }: { flatRate: FlatRate }) {
  const { choices, figures } = flatRate
  const used = ['soglia', 'soglia_uscita']
  if (choices) {
    used.push(choices.activity, choices.is_startup ? 'imposta_avvio' : 'imposta')
    if (choices.contributions === 'gestione_separata') used.push('gestione_separata')
  }
  return (
    <details className="text-xs text-pretty text-muted-foreground">
      <summary className="cursor-pointer font-medium">Da dove vengono le cifre</summary>
      <p className="mt-2">
        È una stima, non sostituisce il commercialista. Contano le{' '}
        <Link to={paths.invoicesToCash} className="font-medium text-primary hover:underline">
          fatture
        </Link>{' '}
        segnate come pagate quest’anno, per intero: il contributo integrativo della cassa e le spese anticipate per il
        cliente andrebbero tolti.
        {flatRate.other_currencies > 0 &&
          ` Fuori dal conto: ${countText(flatRate.other_currencies, 'incasso', 'incassi')} in un’altra valuta.`}
      </p>
      <ul className="mt-2 grid gap-1">
        {used.map((name) => {
          const figure = figures[name]
          return (
            figure && (
              <li key={name}>
                {figureText(name, figure.value)} (in vigore: {longDay(figure.since)}). {figure.source}
              </li>
            )
          )
        })}
      </ul>
    </details>
  )
}

const figureNames: Record<string, string> = {
  soglia: 'Soglia',
  soglia_uscita: 'Soglia di uscita immediata',
  imposta: 'Imposta sostitutiva',
  imposta_avvio: 'Imposta sostitutiva dei primi cinque anni',
  gestione_separata: 'Gestione separata INPS',
}

function figureText(name: string, value: number): string {
  const amount = name.startsWith('soglia') ? formatEuro(100 * value) : `${value.toLocaleString('it-IT')} %`
  return `${figureNames[name] ?? 'Coefficiente di redditività'} ${amount}`
}
