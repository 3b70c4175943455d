/** What a text to several contacts asks and shows before it goes, by mail or WhatsApp. */
import { Field } from '@/components/mail-fields'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { csvOf } from '@/lib/csv'
import { saveFile } from '@/lib/save-file'

type ExcludedProps<Reason extends string> = {
  excluded: { contact_id: string; name: string; reason: Reason }[]
  words: Record<Reason, string>
}

/** Who is left out and why; nothing when nobody is. */
export function Excluded<Reason extends string>({ excluded, words }: ExcludedProps<Reason>) {
  if (excluded.length === 0) return null
  return (
    <details open className="text-sm">
      <summary className="flex min-h-11 cursor-pointer items-center font-medium">Esclusi: {excluded.length}</summary>
      <ul aria-label="Esclusi" className="grid max-h-48 gap-1 overflow-y-auto">
        {excluded.map(({ contact_id: id, name, reason }) => (
          <li key={id}>
            {name}: <span className="text-muted-foreground">{words[reason]}</span>
          </li>
        ))}
      </ul>
      <Button
        variant="link"
        size="sm"
        className="px-0"
        onClick={() =>
          saveFile(
            'esclusi.csv',
            csvOf(
              ['Contatto', 'Motivo'],
              excluded.map(({ name, reason }) => [name, words[reason]]),
            ),
            'text/csv',
          )
        }
      >
        Scarica l’elenco
      </Button>
    </details>
  )
}

/** The number of recipients, typed because there are many (E-02). */
export function TypedCount({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  return (
    <Field id="numero-invio" label={label}>
      <Input
        id="numero-invio"
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  )
}
