/** What was understood in the line, one chip each; pressed, or with Backspace, a chip becomes text again. */
import {
  CalendarIcon,
  CircleDashedIcon,
  FlagIcon,
  FolderKanbanIcon,
  type LucideIcon,
  RepeatIcon,
  UserRoundIcon,
  XIcon,
} from 'lucide-react'

import type { useQuickAdd } from '@/features/tasks/use-quick-add'
import { describeDue, describeRule } from '@/lib/quick-add/describe'
import { priorities } from '@/strings/tasks'

type Line = ReturnType<typeof useQuickAdd>
type Chip = { icon: LucideIcon; kind: string; text: string; starts: number[] }

function chipsOf({ at, parsed, contact, project }: Line): Chip[] {
  const startsOf = (...kinds: string[]) =>
    parsed.parts.filter(({ kind }) => kinds.includes(kind)).map(({ start }) => start)
  const datesAt = startsOf('date', 'time', 'deadline')
  const chips: (Chip | false | null)[] = [
    parsed.due !== null && {
      icon: CalendarIcon,
      kind: 'Scadenza',
      text: describeDue(parsed.due, parsed.all_day, at),
      // «ogni lunedì» says when, too.
      starts: datesAt.length > 0 ? datesAt : startsOf('recurrence'),
    },
    parsed.rrule !== null && {
      icon: RepeatIcon,
      kind: 'Ripetizione',
      text: `${describeRule(parsed.rrule)}${parsed.repeat_from === 'completamento' ? ' dal completamento' : ''}`,
      starts: startsOf('recurrence'),
    },
    parsed.contact !== null && {
      icon: UserRoundIcon,
      kind: 'Contatto',
      text: contact ? contact.name : `${parsed.contact}?`,
      starts: startsOf('contact'),
    },
    parsed.project !== null && {
      icon: FolderKanbanIcon,
      kind: 'Progetto',
      text: project ? project.name : `${parsed.project}?`,
      starts: startsOf('project'),
    },
    parsed.priority > 0 && {
      icon: FlagIcon,
      kind: 'Priorità',
      text: (priorities[parsed.priority] ?? '').toLowerCase(),
      starts: startsOf('priority'),
    },
    parsed.someday && { icon: CircleDashedIcon, kind: 'Quando', text: 'un giorno', starts: startsOf('someday') },
  ]
  return chips.filter((chip): chip is Chip => Boolean(chip) && (chip as Chip).starts.length > 0)
}

export function QuickAddChips({ line }: { line: Line }) {
  const chips = chipsOf(line)
  if (chips.length === 0) return null
  return (
    <ul aria-label="Ho capito" className="flex flex-wrap gap-2">
      {chips.map(({ icon: Icon, kind, text, starts }) => (
        <li key={kind}>
          <button
            title="Riporta a testo"
            onClick={() => line.keep(starts)}
            onKeyDown={(event) => event.key === 'Backspace' && line.keep(starts)}
            className="inline-flex min-h-11 items-center gap-1.5 rounded-full bg-secondary px-3 text-sm font-medium text-secondary-foreground transition-colors hover:bg-muted sm:min-h-8"
          >
            <Icon aria-hidden className="size-4" />
            <span className="sr-only">{kind} </span>
            {text}
            <XIcon aria-hidden className="size-3.5" />
            <span className="sr-only">: riporta a testo</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
