/** Which columns the list shows, in which order, and how dense it is. */
import { ArrowDownIcon, ArrowUpIcon, Columns3Icon } from 'lucide-react'

import { Choice } from '@/components/choice'
import { Button } from '@/components/ui/button'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import { columns } from '@/features/crm/contact-columns'
import { type ColumnId, columnIds, type ListSettings } from '@/features/crm/list-settings'

type Props = { settings: ListSettings; onChange: (part: Partial<ListSettings>) => void }

/** `all` with this one a place further up or down. */
export function moved(all: readonly ColumnId[], id: ColumnId, step: 1 | -1): ColumnId[] {
  const from = all.indexOf(id)
  const to = from + step
  if (from === -1 || to < 0 || to >= all.length) return [...all]
  const others = all.filter((other) => other !== id)
  return [...others.slice(0, to), id, ...others.slice(to)]
}

export function ColumnsMenu({ settings: { columns: chosen, density }, onChange }: Props) {
  const rest = columnIds.filter((id) => !chosen.includes(id))
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button variant="outline" className="max-md:hidden">
          <Columns3Icon aria-hidden /> Colonne
        </Button>
      </PopoverTrigger>
      <PopoverContent align="end" aria-label="Colonne" className="grid max-h-[70dvh] w-80 gap-3 overflow-y-auto p-4">
        <Choice
          label="Densità"
          value={density}
          options={[
            ['compact', 'Compatta'],
            ['comfortable', 'Comoda'],
          ]}
          onChange={(next) => onChange({ density: next })}
        />
        <p className="text-xs text-muted-foreground">
          Vedi le prime che ci stanno; quelle senza dati si nascondono da sole.
        </p>
        <ul>
          {[...chosen, ...rest].map((id) => (
            <Line
              key={id}
              id={id}
              place={chosen.indexOf(id)}
              count={chosen.length}
              onToggle={(isShown) =>
                onChange({ columns: isShown ? [...chosen, id] : chosen.filter((other) => other !== id) })
              }
              onMove={(step) => onChange({ columns: moved(chosen, id, step) })}
            />
          ))}
        </ul>
        <Button variant="ghost" size="sm" onClick={() => onChange({ columns: columnIds })}>
          Come all’inizio
        </Button>
      </PopoverContent>
    </Popover>
  )
}

type LineProps = {
  id: ColumnId
  /** -1: not shown. */
  place: number
  count: number
  onToggle: (isShown: boolean) => void
  onMove: (step: 1 | -1) => void
}

function Line({ id, place, count, onToggle, onMove }: LineProps) {
  const { heading } = columns[id]
  return (
    <li className="flex items-center">
      <label className="flex min-h-11 min-w-0 flex-1 cursor-pointer items-center gap-2.5 rounded-sm px-1 text-sm hover:bg-muted">
        <input
          type="checkbox"
          checked={place !== -1}
          onChange={({ target }) => onToggle(target.checked)}
          className="size-4.5 accent-primary"
        />
        <span className="min-w-0 truncate">{heading}</span>
      </label>
      {place !== -1 && (
        <>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Sposta «${heading}» prima`}
            disabled={place === 0}
            onClick={() => onMove(-1)}
          >
            <ArrowUpIcon aria-hidden />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Sposta «${heading}» dopo`}
            disabled={place === count - 1}
            onClick={() => onMove(1)}
          >
            <ArrowDownIcon aria-hidden />
          </Button>
        </>
      )}
    </li>
  )
}
