/** Narrows every view; `/` comes here. */
import { SearchIcon, SlidersHorizontalIcon, XIcon } from 'lucide-react'
import { useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import type { Project } from '@/data/projects'
import type { Filters } from '@/features/tasks/model'
import { SelectField } from '@/features/tasks/select-field'
import { cn } from '@/lib/cn'
import { useShortcut } from '@/lib/shortcut'
import { priorities } from '@/strings/tasks'

type Props = {
  filters: Filters
  hasFilters: boolean
  projects: readonly Project[]
  /** Those that the tasks name. */
  contacts: ReadonlyMap<string, string>
  onChange: (change: Partial<Record<'cerca' | 'progetto' | 'contatto' | 'priorita', string | null>>) => void
}

export function FilterBar({ filters, hasFilters, projects, contacts, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null)
  // The address follows the typing with a delay, in which letters would be lost.
  const [draft, setDraft] = useState<string | null>(null)
  // On a phone the choices unfold; one that narrows is never hidden.
  const [isUnfolded, setUnfolded] = useState(false)
  const showsChoices = isUnfolded || Boolean(filters.projectId || filters.contactId || filters.priority)
  useShortcut('/', () => field.current?.focus())
  return (
    <search aria-label="Filtri" className="flex flex-wrap items-end gap-2">
      <div className="relative min-w-40 flex-1">
        <SearchIcon aria-hidden className="absolute top-3 left-3 size-5 text-muted-foreground" />
        <Input
          ref={field}
          type="search"
          value={draft ?? filters.text}
          aria-label="Cerca nelle attività"
          aria-keyshortcuts="/"
          placeholder="Cerca"
          className="pl-10"
          onChange={({ target: { value } }) => {
            setDraft(value)
            onChange({ cerca: value })
          }}
          onBlur={() => setDraft(null)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </div>
      <Button
        variant="outline"
        size="icon"
        aria-label="Filtri"
        aria-expanded={showsChoices}
        className="sm:hidden"
        onClick={() => setUnfolded(!showsChoices)}
      >
        <SlidersHorizontalIcon aria-hidden />
      </Button>
      <div className={cn('flex-wrap gap-2 max-sm:w-full sm:flex sm:flex-nowrap', showsChoices ? 'flex' : 'hidden')}>
        <Choice
          label="Progetto"
          none="Ogni progetto"
          value={filters.projectId}
          options={projects.map(({ id, name }) => [id, name])}
          onChoose={(progetto) => onChange({ progetto })}
        />
        <Choice
          label="Contatto"
          none="Ogni contatto"
          value={filters.contactId}
          options={[...contacts].toSorted(([, a], [, b]) => a.localeCompare(b, 'it'))}
          onChoose={(contatto) => onChange({ contatto })}
        />
        <Choice
          label="Priorità"
          none="Ogni priorità"
          value={filters.priority === null ? null : String(filters.priority)}
          options={[3, 2, 1].map((value) => [String(value), priorities[value] ?? ''])}
          onChoose={(priorita) => onChange({ priorita })}
        />
      </div>
      {hasFilters && (
        <Button
          variant="ghost"
          onClick={() => onChange({ cerca: null, progetto: null, contatto: null, priorita: null })}
        >
          <XIcon aria-hidden /> Togli i filtri
        </Button>
      )}
    </search>
  )
}

type ChoiceProps = {
  label: string
  none: string
  value: string | null
  options: [string, string][]
  onChoose: (value: string | null) => void
}

function Choice({ label, none, value, options, onChoose }: ChoiceProps) {
  return (
    <div className="min-w-28 flex-1 sm:w-44">
      <SelectField
        label={label}
        hideLabel
        value={value ?? ''}
        onChange={(event) => onChoose(event.target.value || null)}
      >
        <option value="">{none}</option>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
