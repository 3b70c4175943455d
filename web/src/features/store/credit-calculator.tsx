/** Three sliders and an honest answer, which may be that nothing has to be bought. */
import { useId, useState } from 'react'

import { type Pack, useCatalog } from '@/data/catalog'
import { advise, creditsPerMonth, type Habit } from '@/lib/credit-estimate'
import { formatCredits, formatEuro } from '@/strings/numbers'

const sliders: { field: keyof Habit; label: string; max: number }[] = [
  { field: 'messages', label: 'Messaggi in chat', max: 200 },
  { field: 'deep', label: 'Risposte approfondite', max: 50 },
  { field: 'advice', label: 'Consigli dei cinque agenti', max: 20 },
]

export function CreditCalculator() {
  const { packs, credit_prices, claims } = useCatalog()
  const [habit, setHabit] = useState<Habit>({ messages: 17, deep: 3, advice: 0 })
  const credits = creditsPerMonth(habit, credit_prices)
  return (
    <div className="grid content-start gap-5">
      <h3 className="text-base font-semibold">Quanti te ne servono?</h3>
      <p className="-mt-4 text-sm text-muted-foreground">In una settimana tipica:</p>
      {sliders.map(({ field, label, max }) => (
        <Slider
          key={field}
          label={label}
          value={habit[field]}
          max={max}
          onChange={(value) => setHabit({ ...habit, [field]: value })}
        />
      ))}
      <output className="grid gap-1 rounded-md bg-secondary p-4 text-secondary-foreground">
        <span className="text-sm tabular">Circa {formatCredits(credits)} crediti al mese</span>
        <strong className="text-base font-semibold">{answer(credits, packs)}</strong>
        <span className="text-sm tabular">
          I primi {claims['welcome.credits'].value} sono gratis: li ricevi alla registrazione, una volta sola.
        </span>
      </output>
    </div>
  )
}

function answer(credits: number, packs: Pack[]): string {
  const advice = advise(credits, packs)
  switch (advice.kind) {
    case 'none':
      return 'Non ti serve nessun pacchetto'
    case 'pack': {
      const duration = advice.months === 1 ? 'un mese' : `${advice.months} mesi`
      return `Il pacchetto ${advice.pack.name} (${formatEuro(advice.pack.price_cents)}) ti basta per ${duration}`
    }
    case 'packs':
      return `${advice.count} pacchetti ${advice.pack.name} al mese (${formatEuro(advice.count * advice.pack.price_cents)})`
  }
}

type SliderProps = { label: string; value: number; max: number; onChange: (value: number) => void }

function Slider({ label, value, max, onChange }: SliderProps) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <div className="flex justify-between gap-3 text-sm">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <span aria-hidden className="font-semibold tabular">
          {value}
        </span>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        value={value}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="h-11 w-full cursor-pointer accent-primary"
      />
    </div>
  )
}
