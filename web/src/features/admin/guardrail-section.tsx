/** The limits of credits in force, and the dialog that changes them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { guardrailQuery } from '@/data/admin'
import { useCatalog } from '@/data/catalog'
import { GuardrailDialog } from '@/features/admin/guardrail-dialog'
import { actionName, chargedActions } from '@/strings/admin'
import { credits } from '@/strings/credits'

export function GuardrailSection() {
  const [isOpen, setOpen] = useState(false)
  const { credit_prices: prices } = useCatalog()
  const { data: guardrail, isPending, refetch } = useQuery(guardrailQuery())
  if (isPending) return <Skeleton className="h-32" />
  if (!guardrail) return <LoadError text="Non siamo riusciti a leggere i limiti." onRetry={() => void refetch()} />
  const entries = [
    ['Tetto al giorno per persona', guardrail.daily_cap === null ? 'nessuno' : credits(guardrail.daily_cap)],
    ['IA e agenti', guardrail.ai_stopped ? 'fermi per tutti' : 'accesi'],
    ...chargedActions.map((action) => [actionName(prices, action), credits(guardrail.prices[action])]),
  ]
  return (
    <section aria-labelledby="guardrail" className="grid gap-3">
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-2">
        <h2 id="guardrail" className="text-base font-semibold">
          Guardrail crediti
        </h2>
        <Button variant="outline" size="sm" onClick={() => setOpen(true)}>
          Cambia i limiti
        </Button>
      </div>
      <dl className="grid gap-x-8 gap-y-2 rounded-md border bg-card p-4 text-sm sm:grid-cols-2">
        {entries.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-3">
            <dt className="text-muted-foreground">{name}</dt>
            <dd className="text-right font-medium tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {isOpen && <GuardrailDialog guardrail={guardrail} onClose={() => setOpen(false)} />}
    </section>
  )
}
