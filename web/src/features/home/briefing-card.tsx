/** The day in half a minute: agenda, money, people, risks, and where to begin. */
import { CalendarDaysIcon, EyeIcon, EuroIcon, type LucideIcon, SparklesIcon, UsersIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Card, CardTitle } from '@/components/ui/card'
import type { BriefingLine, Home, Insight } from '@/data/home'
import { rowsOf } from '@/features/home/insight-target'
import { TodayTasks } from '@/features/home/today-tasks'
import { cn } from '@/lib/cn'
import { paths } from '@/paths'
import { briefingSections } from '@/strings/home'

const icons: Record<BriefingLine['section'], LucideIcon> = {
  agenda: CalendarDaysIcon,
  soldi: EuroIcon,
  persone: UsersIcon,
  rischi: EyeIcon,
}

/** Where the rows of a section are; of risks each has its own card. */
const rows: Record<BriefingLine['section'], string | null> = {
  agenda: paths.tasks,
  soldi: paths.invoicesToCash,
  persone: paths.crmDue,
  rischi: null,
}

export function BriefingCard({ userId, home }: { userId: string; home: Home }) {
  const [first] = home.insights
  const isEmpty = home.briefing.length === 0
  return (
    <Card className="h-full gap-3 p-4 sm:p-5">
      <CardTitle>Briefing di oggi</CardTitle>
      {/* A suggestion may be of something late that the four lines do not count, as a client's request. */}
      {isEmpty && !first && (
        <p className="text-sm text-muted-foreground">
          Oggi niente scadenze, nessun ritardo e nessuno da risentire. Buon lavoro.
        </p>
      )}
      <ul aria-label="Briefing di oggi" className="grid gap-2 text-sm sm:gap-2.5 [&:empty]:hidden">
        {home.briefing.map((line) => (
          <Line
            key={line.section}
            icon={icons[line.section]}
            name={briefingSections[line.section]}
            to={rows[line.section]}
            below={line.section === 'agenda' && <TodayTasks userId={userId} tasks={home.work.tasks} />}
          >
            {line.text}
          </Line>
        ))}
        {first && (
          // On a phone it is the next thing on the screen anyway.
          <Line icon={SparklesIcon} name="Suggerimento" to={rowsOf(first)} className={isEmpty ? '' : 'max-sm:hidden'}>
            {suggestion(first)}
          </Line>
        )}
      </ul>
    </Card>
  )
}

const suggestion = ({ title }: Insight) => `Comincia da qui: ${title}.`

type LineProps = {
  icon: LucideIcon
  name: string
  to: string | null
  className?: string
  below?: ReactNode
  children: string
}

function Line({ icon: Icon, name, to, className, below, children }: LineProps) {
  return (
    <li className={cn('grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2.5', className)}>
      <Icon aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <p className="text-pretty break-words">
        <span className="sr-only">{name}: </span>
        {to ? (
          <Link to={to} className="hover:underline">
            {children}
          </Link>
        ) : (
          children
        )}
      </p>
      {below && <div className="col-start-2">{below}</div>}
    </li>
  )
}
