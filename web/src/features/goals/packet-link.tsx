import { Link } from 'react-router'

import type { GoalStep } from '@/data/goals'
import { paths } from '@/paths'

/** The way to the month's packet, where a step is about handing it to the accountant. */
export function PacketLink({ args }: Pick<GoalStep, 'args'>) {
  // db/schemas/65_chores.sql: «2026-10:pacchetto».
  const key = typeof args === 'object' && args !== null && 'key' in args ? args.key : null
  const [, month] = /^(\d{4}-\d{2}):pacchetto$/.exec(String(key)) ?? []
  if (!month) return null
  return (
    <Link to={paths.monthPacket(month)} className="justify-self-start py-2.5 underline">
      Scarica il pacchetto
    </Link>
  )
}
