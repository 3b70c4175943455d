/** Money in time: six months that were, thirteen weeks to come, and the deals by their stage. */
import { useState } from 'react'
import { Link } from 'react-router'

import { BarChart } from '@/components/charts/bar-chart'
import { Funnel } from '@/components/charts/funnel'
import { LineChart } from '@/components/charts/line-chart'
import { Choice } from '@/components/choice'
import { Card, CardTitle } from '@/components/ui/card'
import { track } from '@/data/analytics'
import type { Forecast, Home, HomeMonth } from '@/data/home'
import { paths } from '@/paths'
import { shortMonth } from '@/strings/days'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'
import { dayInFull, monthAndYear } from '@/strings/tasks'

const views = [
  ['mesi', 'Sei mesi'],
  ['settimane', '13 settimane'],
  ['trattative', 'Trattative'],
] as const
type View = (typeof views)[number][0]

const interact = (chartType: string) => () => track('dashboard_chart_interacted', { chartType })

export default function CashCard({ home }: { home: Home }) {
  const [view, setView] = useState<View>('mesi')

  function show(next: View) {
    setView(next)
    track('dashboard_chart_interacted', { chartType: next })
  }

  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <CardTitle>Incassi e previsioni</CardTitle>
        <Choice label="Che cosa" value={view} options={views} onChange={show} isSmall />
      </div>
      {view === 'mesi' && <Months months={home.months} />}
      {view === 'settimane' && <Weeks forecast={home.forecast} />}
      {view === 'trattative' && <Stages stages={home.deals.stages} />}
      <Link
        to={view === 'trattative' ? paths.crmDeals : paths.invoicesToCash}
        className="justify-self-start text-sm font-medium text-primary hover:underline"
      >
        {view === 'trattative' ? 'Apri le trattative' : 'Apri le fatture da incassare'}
      </Link>
    </Card>
  )
}

/** «novembre 2026: incassati 1,00 €, da incassare 2,00 € (scaduti 0,50 €)». */
function monthText({ month, paid_cents: paid, open_cents: open, late_cents: late }: HomeMonth): string {
  const parts = [
    `incassati ${formatEuro(paid)}`,
    open !== 0 &&
      `in scadenza e non incassati ${formatEuro(open)}${late !== 0 ? ` (in ritardo ${formatEuro(late)})` : ''}`,
  ]
  return `${monthAndYear(month)}: ${parts.filter(Boolean).join(', ')}`
}

function Months({ months }: { months: HomeMonth[] }) {
  return (
    <BarChart
      key="mesi"
      label="Mese"
      series={[
        { key: 'paid', name: 'incassato', tone: 'plain' },
        { key: 'open', name: 'da incassare', tone: 'striped' },
        { key: 'late', name: 'in ritardo', tone: 'dotted' },
      ]}
      points={months.map((month) => ({
        label: shortMonth(month.month).slice(0, 3),
        sentence: monthText(month),
        values: { paid: month.paid_cents, open: month.open_cents - month.late_cents, late: month.late_cents },
      }))}
      first={months.length - 1}
      table={{
        caption: 'Incassi per mese',
        head: ['Mese', 'Incassato', 'Da incassare', 'In ritardo'],
        rows: months.map(({ month, paid_cents: paid, open_cents: open, late_cents: late }) => [
          shortMonth(month),
          formatEuro(paid),
          formatEuro(open),
          formatEuro(late),
        ]),
      }}
      onInteract={interact('mesi')}
    />
  )
}

/** What the weeks come to, one after the other. */
function running(weeks: Forecast['weeks']) {
  let incoming = 0
  let outgoing = 0
  return weeks.map(({ week, in_cents: inCents, out_cents: outCents }) => {
    incoming += inCents
    outgoing += outCents
    return { week, inCents, outCents, incoming, outgoing }
  })
}

function Weeks({ forecast }: { forecast: Forecast }) {
  const weeks = running(forecast.weeks)
  const left = [
    forecast.late_cents !== 0 && `${formatEuro(forecast.late_cents)} in ritardo, senza una data prevista`,
    forecast.undated_cents !== 0 && `${formatEuro(forecast.undated_cents)} senza scadenza`,
    forecast.later_cents !== 0 && `${formatEuro(forecast.later_cents)} più avanti`,
  ].filter(Boolean)
  return (
    <>
      <LineChart
        key="settimane"
        label="Settimana"
        series={[
          { key: 'in', name: 'entrate previste, sommate' },
          { key: 'out', name: 'uscite previste, sommate' },
        ]}
        points={weeks.map(({ week, inCents, outCents, incoming, outgoing }) => ({
          label: `${Number(week.slice(8))}/${Number(week.slice(5, 7))}`,
          sentence: `settimana da ${dayInFull(week)}: entrano ${formatEuro(inCents)}, escono ${formatEuro(outCents)}; fin lì ${formatEuro(incoming)} e ${formatEuro(outgoing)}`,
          values: { in: incoming, out: outgoing },
        }))}
        first={weeks.length - 1}
        table={{
          caption: 'Previsione per settimana',
          head: ['Settimana', 'Entrate', 'Uscite', 'Entrate sommate'],
          rows: weeks.map(({ week, inCents, outCents, incoming }) => [
            `${week.slice(8)}/${week.slice(5, 7)}`,
            formatEuro(inCents),
            formatEuro(outCents),
            formatEuro(incoming),
          ]),
        }}
        onInteract={interact('settimane')}
      />
      <p className="text-xs text-pretty text-muted-foreground">
        Per data di scadenza; chi di solito paga più tardi è contato quando paga di solito.
        {left.length > 0 && ` Fuori dal grafico: ${left.join(', ')}.`}
      </p>
    </>
  )
}

function Stages({ stages }: { stages: Home['deals']['stages'] }) {
  if (stages.every(({ count }) => count === 0))
    return <p className="text-sm text-muted-foreground">Nessuna trattativa aperta.</p>
  return (
    <Funnel
      label="Trattative per fase"
      stages={stages.map(({ id, name, count, cents }) => ({
        key: id,
        name,
        value: cents,
        text: `${countText(count, 'trattativa', 'trattative')}, ${formatEuro(cents)}`,
      }))}
    />
  )
}
