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

import type { useQuickAdd } from '@/components/quick-add/use-quick-add'
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
  const { named } = line
  if (chips.length === 0 && !named) return null
  return (
    <ul aria-label="Ho capito" className="flex flex-wrap gap-2">
      {chips.map(({ icon, kind, text, starts }) => (
        <li key={kind}>
          <ChipButton {...{ icon, kind, text }} undoing="riporta a testo" onUndo={() => line.keep(starts)} />
        </li>
      ))}
      {named && (
        <li>
          <ChipButton
            icon={UserRoundIcon}
            kind="Contatto"
            text={named.name}
            undoing="non collegare"
            onUndo={() => line.refuse(named.id)}
          />
        </li>
      )}
    </ul>
  )
}

type ChipButtonProps = Omit<Chip, 'starts'> & { undoing: string; onUndo: () => void }

function ChipButton({ icon: Icon, kind, text, undoing, onUndo }: ChipButtonProps) {
  return (
    <button
      title={undoing[0]?.toUpperCase() + undoing.slice(1)}
      onClick={onUndo}
      onKeyDown={(event) => event.key === 'Backspace' && onUndo()}
      className="inline-flex min-h-11 items-center gap-1.5 rounded-full bg-secondary px-3 text-sm font-medium text-secondary-foreground transition-colors hover:bg-muted sm:min-h-8"
    >
      <Icon aria-hidden className="size-4" />
      <span className="sr-only">{kind} </span>
      {text}
      <XIcon aria-hidden className="size-3.5" />
      <span className="sr-only">: {undoing}</span>
    </button>
  )
}
