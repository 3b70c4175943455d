import { useId, useState } from 'react'

import { HOURLY_RATE, habits, lostTime, WORKING_DAYS } from '@/features/landing/lost-time'
import { useCatalog } from '@/data/catalog'
import { HowWeReckon, Section, SmallPrint } from '@/features/landing/section'
import { formatCredits } from '@/strings/numbers'

const morning = [
  ['9:10', 'Cerchi il messaggio in cui Belli ti chiedeva lo sconto. È su WhatsApp, o forse in un’email.'],
  ['10:40', 'Riscrivi per la quarta volta questa settimana come funziona il pagamento.'],
  ['12:15', 'Ti accorgi che la fattura 18 è scaduta da dodici giorni.'],
  ['18:30', 'Il preventivo di stamattina è ancora una bozza.'],
] as const

/** A day that many know, and a calculator for one's own. */
export function TimeStory() {
  return (
    <Section
      id="tempo"
      title="Un lunedì qualunque"
      intro="Nessuna di queste cose è grave. Insieme sono più di un’ora al giorno che non fatturi a nessuno."
    >
      <div className="grid gap-8 lg:grid-cols-2 lg:gap-16">
        <ol className="self-start divide-y border-y">
          {morning.map(([time, text]) => (
            <li key={time} className="flex gap-4 py-2 max-sm:text-sm sm:gap-5 sm:py-5">
              <span className="w-12 shrink-0 text-right text-sm text-muted-foreground tabular">{time}</span>
              <span className="text-pretty">{text}</span>
            </li>
          ))}
        </ol>
        <Calculator />
      </div>
    </Section>
  )
}

function Calculator() {
  const { claims } = useCatalog()
  const [minutes, setMinutes] = useState(() => habits.map((habit) => habit.minutes))
  const [rate, setRate] = useState(HOURLY_RATE)
  const lost = lostTime(
    minutes.reduce((sum, each) => sum + each, 0),
    rate,
  )
  return (
    <form
      aria-labelledby="calcolo"
      onSubmit={(event) => event.preventDefault()}
      className="rounded-xl border bg-card p-5 sm:p-7"
    >
      <h3 id="calcolo" className="text-xl font-semibold">
        Quanto ti costa
      </h3>
      <output className="mt-3 block">
        <span className="block font-display text-3xl font-medium tabular">
          {formatCredits(lost.hours)} ore, {formatCredits(lost.euros)} € l’anno
        </span>
        <span className="mt-2 block text-sm text-pretty">
          Se Socio te ne toglie anche solo un terzo: {formatCredits(lost.recoveredHours)} ore e{' '}
          {formatCredits(lost.recoveredEuros)} € che tornano a te.
        </span>
      </output>
      <div className="mt-3 flex flex-wrap gap-x-6">
        <details className="open:basis-full">
          <summary className="inline-flex min-h-11 cursor-pointer items-center text-sm underline underline-offset-4">
            Metti i tuoi numeri
          </summary>
          <div className="grid gap-3">
            {habits.map(({ key, label }, index) => (
              <Slider
                key={key}
                label={label}
                value={minutes[index] ?? 0}
                max={120}
                unit="min al giorno"
                onChange={(value) => setMinutes(minutes.with(index, value))}
              />
            ))}
            <Slider label="Quanto vale una tua ora" value={rate} max={150} unit="€" onChange={setRate} />
          </div>
        </details>
        <HowWeReckon className="open:basis-full">
          <SmallPrint>
            Minuti al giorno × {WORKING_DAYS} giorni di lavoro, per il valore della tua ora. Un terzo è un’ipotesi
            prudente, non una promessa. {claims['time.minutes_per_credit'].text}.{' '}
            {claims['time.minutes_per_credit'].base}.
          </SmallPrint>
        </HowWeReckon>
      </div>
    </form>
  )
}

type SliderProps = { label: string; value: number; max: number; unit: string; onChange: (value: number) => void }

function Slider({ label, value, max, unit, onChange }: SliderProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="flex items-baseline justify-between gap-3 text-sm">
        {label}
        <span className="font-semibold whitespace-nowrap tabular">
          {value} {unit}
        </span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        step={5}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className="h-11 w-full cursor-pointer accent-primary"
      />
    </div>
  )
}
