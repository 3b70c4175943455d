/** Narrows the list: by tag, consent, silence and origin. Each choice counts at once. */
import { ListFilterIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { startTransition, useId, useOptimistic } from 'react'

import { Button } from '@/components/ui/button'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import { Select } from '@/components/ui/select'
import type { Condition, ContactFilter } from '@/data/contacts-filter'
import { tagsQuery } from '@/data/contacts-labels'
import { contactOrigins } from '@/strings/crm'

type Props = { userId: string; filter: ContactFilter; onChange: (filter: ContactFilter) => void }

/** `filter` with `condition` in the place of the one of that field; null takes it out. */
export function withCondition(
  filter: ContactFilter,
  field: Condition['field'],
  condition: Condition | null,
): ContactFilter {
  const others = filter.all.filter((one) => one.field !== field)
  return { all: condition ? [...others, condition] : others }
}

export function FilterMenu({ userId, filter, onChange }: Props) {
  // The address follows in a transition; a tick must not wait for it, and the next one must count on it.
  const [shown, show] = useOptimistic(filter)
  const set = (field: Condition['field'], condition: Condition | null) =>
    startTransition(() => {
      const next = withCondition(shown, field, condition)
      show(next)
      onChange(next)
    })
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button variant="outline" className="max-sm:flex-1">
          <ListFilterIcon aria-hidden />
          Filtri{shown.all.length > 0 && ` (${shown.all.length})`}
        </Button>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="Filtri" className="grid max-h-[70dvh] w-80 gap-4 overflow-y-auto p-4">
        <TagChoice userId={userId} filter={shown} set={set} />
        <SilenceChoice filter={shown} set={set} />
        <ConsentChoice filter={shown} set={set} />
        <OriginChoice filter={shown} set={set} />
      </PopoverContent>
    </Popover>
  )
}

type ChoiceProps = { filter: ContactFilter; set: (field: Condition['field'], condition: Condition | null) => void }

const find = <F extends Condition['field']>({ all }: ContactFilter, field: F) =>
  all.find((one): one is Extract<Condition, { field: F }> => one.field === field)

const toggled = <T,>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one]

function TagChoice({ userId, filter, set }: ChoiceProps & { userId: string }) {
  const { data: tags } = useQuery(tagsQuery(userId))
  const chosen = find(filter, 'tags')?.any ?? []
  if (!tags || tags.length === 0) return null
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Con uno di questi tag</legend>
      <div className="max-h-44 overflow-y-auto">
        {tags.map(({ id, name }) => (
          <Check
            key={id}
            label={name}
            isChecked={chosen.includes(id)}
            onChange={() => {
              const any = toggled(chosen, id)
              set('tags', any.length > 0 ? { field: 'tags', any } : null)
            }}
          />
        ))}
      </div>
    </fieldset>
  )
}

function SilenceChoice({ filter, set }: ChoiceProps) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Non sentiti da
      </label>
      <Select
        id={id}
        value={find(filter, 'silent')?.days ?? ''}
        onChange={({ target }) => set('silent', target.value ? { field: 'silent', days: Number(target.value) } : null)}
      >
        <option value="">Non importa</option>
        <option value="30">30 giorni</option>
        <option value="90">90 giorni</option>
        <option value="180">6 mesi</option>
        <option value="365">Un anno</option>
      </Select>
    </div>
  )
}

const consentChoices: { label: string; condition: Extract<Condition, { field: 'consent' }> }[] = [
  { label: 'Email: sì', condition: { field: 'consent', channel: 'email', is: 'dato' } },
  { label: 'WhatsApp: sì', condition: { field: 'consent', channel: 'whatsapp', is: 'dato' } },
  { label: 'Email: non chiesto', condition: { field: 'consent', channel: 'email', is: 'non_richiesto' } },
  { label: 'WhatsApp: non chiesto', condition: { field: 'consent', channel: 'whatsapp', is: 'non_richiesto' } },
]

function ConsentChoice({ filter, set }: ChoiceProps) {
  const id = useId()
  const chosen = find(filter, 'consent')
  const place = consentChoices.findIndex(
    ({ condition }) => condition.channel === chosen?.channel && condition.is === chosen.is,
  )
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Consenso al marketing
      </label>
      <Select
        id={id}
        value={place}
        onChange={({ target }) => set('consent', consentChoices[Number(target.value)]?.condition ?? null)}
      >
        <option value={-1}>Non importa</option>
        {consentChoices.map(({ label }, index) => (
          <option key={label} value={index}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

function OriginChoice({ filter, set }: ChoiceProps) {
  const chosen = find(filter, 'origin')?.any ?? []
  const origins = Object.entries(contactOrigins) as [keyof typeof contactOrigins, string][]
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Da dove vengono</legend>
      {origins.map(([origin, label]) => (
        <Check
          key={origin}
          label={label}
          isChecked={chosen.includes(origin)}
          onChange={() => {
            const any = toggled(chosen, origin)
            set('origin', any.length > 0 ? { field: 'origin', any } : null)
          }}
        />
      ))}
    </fieldset>
  )
}

type CheckProps = { label: string; isChecked: boolean; onChange: () => void }

function Check({ label, isChecked, onChange }: CheckProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-sm px-1 text-sm hover:bg-muted">
      <input type="checkbox" checked={isChecked} onChange={onChange} className="size-4.5 accent-primary" />
      <span className="min-w-0 truncate">{label}</span>
    </label>
  )
}
