import type { MatchRule } from '@/data/import-run'

const rules: { value: MatchRule; label: string; text: string }[] = [
  { value: 'aggiorna', label: 'Aggiorna', text: 'quello che dice il file sostituisce, quello che non dice resta' },
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
        <label
          key={value}
          className="flex min-h-11 cursor-pointer items-start gap-2.5 rounded-md border border-input px-3 py-2.5 text-sm transition-colors hover:bg-muted has-checked:border-primary has-checked:bg-secondary has-checked:text-secondary-foreground has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
        >
          <input
            type="radio"
            name="match"
            checked={match === value}
            onChange={() => onChange(value)}
            className="mt-0.5 size-4 shrink-0 accent-primary"
          />
          <span>
            <strong className="font-semibold">{label}</strong>: {text}
          </span>
        </label>
      ))}
      <p className="text-sm text-muted-foreground">
        Lo riconosciamo da e-mail, telefono, partita IVA o codice fiscale.
      </p>
    </fieldset>
  )
}
