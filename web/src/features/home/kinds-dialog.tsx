/** Which kinds of insights the person wants to see. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/skeleton'
import { type InsightKind, insightKindsQuery, useSwitchInsights } from '@/data/home'

export default function KindsDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { data: kinds, isPending, refetch } = useQuery(insightKindsQuery(userId))
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Che cosa vedere</DialogTitle>
          <DialogDescription>
            Togli la spunta a ciò che non ti serve. Ciò che rifiuti spesso scende da solo.
          </DialogDescription>
        </DialogHeader>
        {isPending && <Skeleton aria-busy className="h-72" />}
        {!isPending && !kinds && (
          <LoadError text="Non riusciamo a leggere le tue scelte." onRetry={() => void refetch()} />
        )}
        <ul className="grid sm:grid-cols-2">
          {kinds?.map((kind) => (
            <KindRow key={kind.kind} userId={userId} {...kind} />
          ))}
        </ul>
      </DialogContent>
    </Dialog>
  )
}

function KindRow({ userId, kind, label, isEnabled }: InsightKind & { userId: string }) {
  // What was ticked stays so while the server is asked.
  const [isTicked, setIsTicked] = useState(isEnabled)
  const change = useSwitchInsights(userId, () => {
    setIsTicked(isEnabled)
    toast.error('Non siamo riusciti a salvare: riprova')
  })

  function tick(next: boolean) {
    setIsTicked(next)
    change.mutate({ kind, isEnabled: next })
  }

  return (
    <li>
      <label className="flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={isTicked}
          className="size-4 accent-primary"
          onChange={({ target }) => tick(target.checked)}
        />
        {label}
      </label>
    </li>
  )
}
