/** What can be done with several tasks at once; there while tasks are being selected. */
import { CalendarIcon, CheckIcon, FlagIcon, FolderIcon, ListChecksIcon, Trash2Icon, XIcon } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Input } from '@/components/ui/input'
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover'
import type { Project } from '@/data/projects'
import type { Task } from '@/data/tasks'
import { DUE_RANGE, isDueDay } from '@/features/tasks/model'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { addDays, mondayOf } from '@/lib/rome-time'
import { priorities } from '@/strings/tasks'

type Props = {
  tasks: Task[]
  today: string
  projects: ReadonlyMap<string, Project>
  actions: TaskActions
  onSelectAll: () => void
  onDone: () => void
}

export function SelectionBar({ tasks, today, projects, actions, onSelectAll, onDone }: Props) {
  const isEmpty = tasks.length === 0
  const open = [...projects.values()].filter(({ status }) => status !== 'chiuso')

  function run(work: Promise<unknown>) {
    onDone()
    void work
  }

  return (
    <div
      role="toolbar"
      aria-label="Attività selezionate"
      className="sticky bottom-[calc(5.5rem+env(safe-area-inset-bottom))] z-30 mx-auto flex w-fit max-w-full flex-wrap items-center justify-center gap-x-1 rounded-xl border bg-popover px-3 py-1.5 shadow-float max-sm:gap-x-0 max-sm:px-1.5"
    >
      <p role="status" className="pr-1 text-sm font-medium tabular max-sm:basis-full max-sm:pt-1 max-sm:text-center">
        {tasks.length === 1 ? '1 selezionata' : `${tasks.length} selezionate`}
      </p>
      <Action icon={<ListChecksIcon aria-hidden />} label="Tutte" onClick={onSelectAll} />
      <Action
        icon={<CheckIcon aria-hidden />}
        label="Completa"
        disabled={isEmpty}
        onClick={() => run(actions.complete(tasks))}
      />
      <DayChoice today={today} isDisabled={isEmpty} onChoose={(day) => run(actions.moveAllTo(tasks, day))} />
      <Menu icon={<FolderIcon aria-hidden />} label="Progetto" isDisabled={isEmpty}>
        {open.map(({ id, name }) => (
          <DropdownMenuItem key={id} onSelect={() => run(actions.saveAll(tasks, { project_id: id }))}>
            {name}
          </DropdownMenuItem>
        ))}
        <DropdownMenuItem onSelect={() => run(actions.saveAll(tasks, { project_id: null }))}>
          Nessun progetto
        </DropdownMenuItem>
      </Menu>
      <Menu icon={<FlagIcon aria-hidden />} label="Priorità" isDisabled={isEmpty}>
        {[3, 2, 1, 0].map((priority) => (
          <DropdownMenuItem key={priority} onSelect={() => run(actions.saveAll(tasks, { priority }))}>
            {priorities[priority]}
          </DropdownMenuItem>
        ))}
      </Menu>
      <Action
        icon={<Trash2Icon aria-hidden />}
        label="Elimina"
        disabled={isEmpty}
        onClick={() => run(actions.remove(tasks))}
      />
      <Button variant="ghost" size="icon" aria-label="Fine della selezione" onClick={onDone}>
        <XIcon aria-hidden />
      </Button>
    </div>
  )
}

type ActionProps = { icon: ReactNode; label: string; disabled?: boolean; onClick?: () => void }

/** On a phone the icon alone, named for those who do not see it. */
function Action({ icon, label, ...props }: ActionProps) {
  return (
    <Button variant="ghost" size="sm" className="max-lg:size-11 max-lg:px-0" {...props}>
      {icon} <span className="max-lg:sr-only">{label}</span>
    </Button>
  )
}

type MenuProps = { icon: ReactNode; label: string; isDisabled: boolean; children: ReactNode }

function Menu({ icon, label, isDisabled, children }: MenuProps) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild disabled={isDisabled}>
        <Button variant="ghost" size="sm" className="max-lg:size-11 max-lg:px-0">
          {icon} <span className="max-lg:sr-only">{label}</span>
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="center" className="max-h-80 overflow-y-auto">
        {children}
      </DropdownMenuContent>
    </DropdownMenu>
  )
}

type DayProps = { today: string; isDisabled: boolean; onChoose: (day: string | null) => void }

/** The days one moves things to, or any other; null takes the date away. */
function DayChoice({ today, isDisabled, onChoose }: DayProps) {
  const [other, setOther] = useState(addDays(today, 2))
  const days: [string, string | null][] = [
    ['Oggi', today],
    ['Domani', addDays(today, 1)],
    ['Lunedì prossimo', addDays(mondayOf(today), 7)],
    ['Senza data', null],
  ]

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (isDueDay(other)) onChoose(other)
  }

  return (
    <Popover>
      <PopoverTrigger asChild disabled={isDisabled}>
        <Button variant="ghost" size="sm" className="max-lg:size-11 max-lg:px-0">
          <CalendarIcon aria-hidden /> <span className="max-lg:sr-only">Sposta</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Sposta a" className="grid gap-0.5 p-1.5">
        {days.map(([label, day]) => (
          <Button key={label} variant="ghost" className="justify-start" onClick={() => onChoose(day)}>
            {label}
          </Button>
        ))}
        <form noValidate onSubmit={onSubmit} className="flex gap-2 border-t p-2">
          <Input
            type="date"
            {...DUE_RANGE}
            aria-label="Un altro giorno"
            value={other}
            onChange={(event) => setOther(event.target.value)}
          />
          <Button type="submit" disabled={!isDueDay(other)}>
            Sposta
          </Button>
        </form>
      </PopoverContent>
    </Popover>
  )
}
