/** Narrows the list: by kind, state, contact, period and tag. Each choice counts at once. */
import { ListFilterIcon } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, startTransition, useId, useOptimistic, useState } from 'react'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import { Select } from '@/components/ui/select'
import { contactQuery } from '@/data/contacts'
import { tagsQuery } from '@/data/contacts-labels'
import { documentCountsQuery } from '@/data/documents'
import { type DocumentFilter, filterCount, noFilter } from '@/data/documents-wish'
import { presetPeriods } from '@/features/documents/periods'
import { documentKindLabels, documentStateLabels } from '@/strings/documents'

type Props = { userId: string; filter: DocumentFilter; onChange: (filter: DocumentFilter) => void }

/** What is read in seconds needs no filter. */
const states = ['pronto', 'da_verificare', 'errore', 'annullato'] as const

export function FilterMenu({ userId, filter, onChange }: Props) {
  // The address follows in a transition; a choice must not wait for it, and the next one must count on it.
  const [shown, show] = useOptimistic(filter)
  const set = (part: Partial<DocumentFilter>) =>
    startTransition(() => {
      const next = { ...shown, ...part }
      show(next)
      onChange(next)
    })
  const count = filterCount(shown)
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button variant="outline" className="max-sm:flex-1">
          <ListFilterIcon aria-hidden />
          Filtri{count > 0 && ` (${count})`}
        </Button>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="Filtri" className="grid max-h-[70dvh] w-80 gap-4 overflow-y-auto p-4">
        <Choices userId={userId} filter={shown} set={set} />
        {count > 0 && (
          <Button variant="ghost" onClick={() => set(noFilter)}>
            Togli i filtri
          </Button>
        )}
      </PopoverContent>
    </Popover>
  )
}

type ChoicesProps = { userId: string; filter: DocumentFilter; set: (part: Partial<DocumentFilter>) => void }

function Choices({ userId, filter, set }: ChoicesProps) {
  const { data: counts } = useQuery(documentCountsQuery(userId))
  const { data: tags = [] } = useQuery(tagsQuery(userId))
  return (
    <>
      <Choice label="Tipo" none="Ogni tipo" value={filter.kind} onChoose={(kind) => set({ kind })}>
        {entries(documentKindLabels).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {counted(label, counts?.kinds[kind])}
          </option>
        ))}
      </Choice>
      <Choice label="Stato" none="Ogni stato" value={filter.state} onChoose={(state) => set({ state })}>
        {states.map((state) => (
          <option key={state} value={state}>
            {counted(documentStateLabels[state], counts?.states[state])}
          </option>
        ))}
      </Choice>
      <ContactChoice userId={userId} filter={filter} set={set} />
      <PeriodChoice filter={filter} set={set} />
      {tags.length > 0 && (
        <Choice label="Tag" none="Ogni tag" value={filter.tagId} onChoose={(tagId) => set({ tagId })}>
          {tags.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
    </>
  )
}

const counted = (label: string, count = 0) => (count > 0 ? `${label} (${count})` : label)
const entries = <K extends string>(labels: Record<K, string>) => Object.entries(labels) as [K, string][]

type ChoiceProps<T extends string> = {
  label: string
  none: string
  value: T | null
  onChoose: (value: T | null) => void
  children: ReactNode
}

function Choice<T extends string>({ label, none, value, onChoose, children }: ChoiceProps<T>) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <Select id={id} value={value ?? ''} onChange={({ target }) => onChoose((target.value || null) as T | null)}>
        <option value="">{none}</option>
        {children}
      </Select>
    </div>
  )
}

function ContactChoice({ userId, filter: { contactId }, set }: ChoicesProps) {
  const { data: contact } = useQuery({ ...contactQuery(contactId ?? ''), enabled: contactId !== null })
  return (
    <ContactField
      userId={userId}
      label="Contatto"
      value={contactId ? { id: contactId, name: contact?.name ?? '…' } : null}
      onChoose={(chosen) => set({ contactId: chosen?.id ?? null })}
    />
  )
}

type PeriodProps = Pick<ChoicesProps, 'filter' | 'set'>

function PeriodChoice({ filter: { from, to }, set }: PeriodProps) {
  const [presets] = useState(() => presetPeriods(new Date()))
  const chosen = presets.find((one) => one.from === from && one.to === to)
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Periodo</legend>
      <Select
        aria-label="Periodo"
        value={chosen?.label ?? (from || to ? 'altro' : '')}
        onChange={({ target }) => {
          const preset = presets.find(({ label }) => label === target.value)
          if (target.value !== 'altro') set({ from: preset?.from ?? null, to: preset?.to ?? null })
        }}
      >
        <option value="">Sempre</option>
        {presets.map(({ label }) => (
          <option key={label}>{label}</option>
        ))}
        {!chosen && (from ?? to) && <option value="altro">Date scelte</option>}
      </Select>
      <div className="grid grid-cols-2 gap-2">
        <Input
          type="date"
          aria-label="Dal"
          value={from ?? ''}
          max={to ?? undefined}
          onChange={({ target }) => set({ from: target.value || null })}
        />
        <Input
          type="date"
          aria-label="Al"
          value={to ?? ''}
          min={from ?? undefined}
          onChange={({ target }) => set({ to: target.value || null })}
        />
      </div>
    </fieldset>
  )
}
