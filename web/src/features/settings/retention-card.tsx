/** «Per quanto teniamo i tuoi dati»: the rules, what of the person's waits, and when each rule last ran. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { retentionQuery, type RetentionRule } from '@/data/retention'
import { dateAndTime } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'

export function RetentionCard() {
  const { id: userId } = useUser()
  const { data: rules, isPending, isError, refetch } = useQuery(retentionQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Per quanto teniamo i tuoi dati</CardTitle>
        <CardDescription>
          Quello che scade si cancella da solo. Il resto rimane finché non lo elimini, o finché hai l’account.
        </CardDescription>
      </CardHeader>
      {isPending && <Skeleton aria-busy className="h-96" />}
      {isError && rules === undefined && (
        <LoadError text="Non riusciamo a leggere i termini in questo momento." onRetry={() => void refetch()} />
      )}
      {rules?.length === 0 && <p className="text-sm text-muted-foreground">Nessun termine riguarda i tuoi dati.</p>}
      {rules && rules.length > 0 && (
        <ul aria-label="Termini di conservazione" className="divide-y">
          {rules.map((rule) => (
            <li key={rule.rule} className="grid gap-1 py-3 text-sm first:pt-0 last:pb-0">
              <p className="font-medium">{rule.title}</p>
              <p>
                {rule.period}. <span className="text-muted-foreground">{rule.reason}.</span>
              </p>
              {rule.every_minutes !== null && <p className="text-muted-foreground tabular">{stateOf(rule)}</p>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** «Tuoi in attesa: 2. Ultimo controllo 27/11/2026 09:05: niente di scaduto.» */
function stateOf({ waiting, last_run_at: at, last_is_ok: isOk, last_erased: erased }: RetentionRule): string {
  const mine = !waiting ? '' : `Tuoi in attesa: ${formatCount(waiting)}. `
  if (at === null) return `${mine}Il primo controllo arriva a breve.`
  if (!isOk) return `${mine}Ultimo controllo ${dateAndTime(at)}, non riuscito: riproviamo entro dieci minuti.`
  const result = erased ? `${formatCount(erased)} cancellati in tutto Socio` : 'niente di scaduto'
  return `${mine}Ultimo controllo ${dateAndTime(at)}: ${result}.`
}
