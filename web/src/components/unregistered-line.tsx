/** One line beside sums of money: the papers that they do not count yet, and the way to them. Nothing when there are none. */
import { useQuery } from '@tanstack/react-query'
import { CircleAlertIcon } from 'lucide-react'
import { Link } from 'react-router'

import { unregisteredQuery } from '@/data/unregistered'
import { paths } from '@/paths'
import { leftOutText } from '@/strings/unregistered'

type Props = {
  userId: string
  /** Only papers of these contacts. */
  contactIds?: readonly string[]
  /** Only papers that were issued, or received; those that do not tell count for both. */
  direction?: 'attiva' | 'passiva'
}

export function UnregisteredLine({ userId, contactIds, direction }: Props) {
  const { data = [] } = useQuery(unregisteredQuery(userId, contactIds))
  const shown = direction ? data.filter((paper) => (paper.direction ?? direction) === direction) : data
  if (shown.length === 0) return null
  return (
    <p className="flex items-start gap-2 rounded-md bg-warning-tint px-3 py-2 text-sm">
      <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        <Link to={paths.invoicesToCheck} className="font-medium underline">
          {leftOutText(shown)}
        </Link>
        : nelle somme {shown.length === 1 ? 'non c’è' : 'non ci sono'}.
      </span>
    </p>
  )
}
