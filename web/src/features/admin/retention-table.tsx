/** The retention register for admins: every rule, its last run and what it erased in thirty days. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { retentionQuery } from '@/data/retention'
import { ReportTable } from '@/features/admin/report-table'

const shown = ['title', 'period', 'last_run_at', 'last_is_ok', 'last_erased', 'erased_30_days', 'reason'] as const

export function RetentionTable() {
  const { id: userId } = useUser()
  const { data: rules, isPending, isError, refetch } = useQuery(retentionQuery(userId))
  if (isPending) return <Skeleton aria-busy className="h-72" />
  if (isError && rules === undefined) {
    return <LoadError text="Non siamo riusciti a leggere il registro." onRetry={() => void refetch()} />
  }
  return <ReportTable title="Registro conservazione" rows={rules ?? []} shown={shown} empty="Nessuna regola." />
}
