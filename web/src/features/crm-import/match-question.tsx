import { RadioCard } from '@/components/radio-card'
import type { MatchRule } from '@/data/import-run'

const rules: { value: MatchRule; label: string; text: string }[] = [
  {
    value: 'aggiorna',
    label: 'Aggiorna',
    text: 'quello che dice il file sostituisce, quello che non dice resta',
  },
  { value: 'salta', label: 'Salta', text: 'chi c’è già resta com’è' },
  { value: 'crea', label: 'Crea', text: 'aggiungi tutti, anche chi sembra già presente' },
]

type Props = { match: MatchRule; onChange: (match: MatchRule) => void }

/** What becomes of a row whose e-mail, telephone, partita IVA or codice fiscale is known already. */
export function MatchQuestion({ match, onChange }: Props) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-semibold">Se un contatto c’è già</legend>
      {rules.map(({ value, label, text }) => (
        <RadioCard key={value} isLong name="match" checked={match === value} onChange={() => onChange(value)}>
          <span>
            <strong className="font-semibold">{label}</strong>: {text}
          </span>
        </RadioCard>
      ))}
      <p className="text-sm text-muted-foreground">Lo riconosciamo da email, telefono, partita IVA o codice fiscale.</p>
    </fieldset>
  )
}
