/** «Ferma tutto»: one press stops every agent, and what has not left does not leave. */
import { useQuery } from '@tanstack/react-query'
import { OctagonXIcon, PlayIcon } from 'lucide-react'
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { goalsQuery, stoppedQuery, useStopAgents } from '@/data/goals'

export function StopSwitch({ userId }: { userId: string }) {
  const { data: stopped } = useQuery(stoppedQuery(userId))
  const { data: goals } = useQuery(goalsQuery(userId))
  const stop = useStopAgents(userId)
  if (!stopped || !goals || (goals.length === 0 && !stopped.mine)) return null

  function press() {
    const isStopped = !stopped?.mine
    stop.mutate(isStopped, {
      onSuccess: () =>
        toast.success(isStopped ? 'Tutti gli agenti sono fermi' : 'Gli agenti riprendono', {
          description: isStopped ? 'Quello che non era ancora partito non parte più.' : undefined,
        }),
      onError: tellFailure,
    })
  }

  return (
    <Button variant={stopped.mine ? 'default' : 'outline'} disabled={stop.isPending} onClick={press}>
      {stopped.mine ? <PlayIcon aria-hidden /> : <OctagonXIcon aria-hidden />}
      {stopped.mine ? 'Riaccendi gli agenti' : 'Ferma tutto'}
    </Button>
  )
}
