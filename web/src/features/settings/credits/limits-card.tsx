import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { LoadError } from '@/components/load-error'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type CreditSettings, creditSettingsQuery, useUpdateCreditSettings } from '@/data/credit-settings'
import { type Limits, limitsOf, limitsSchema, settingsFrom } from '@/features/settings/credits/limits'

/** When to warn, and how much a month may cost. */
export function LimitsCard({ userId }: { userId: string }) {
  const { data, isPending, refetch } = useQuery(creditSettingsQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Avviso e tetto mensile</CardTitle>
        <CardDescription>Così i crediti non finiscono senza che tu lo sappia.</CardDescription>
      </CardHeader>
      {isPending && <Skeleton className="h-24" />}
      {!isPending && !data && (
        <LoadError text="Non riusciamo a leggere i tuoi limiti in questo momento." onRetry={() => void refetch()} />
      )}
      {data && <LimitsForm userId={userId} settings={data} />}
    </Card>
  )
}

function LimitsForm({ userId, settings }: { userId: string; settings: CreditSettings }) {
  const update = useUpdateCreditSettings(userId)
  const form = useForm<Limits>({ resolver: zodResolver(limitsSchema), values: limitsOf(settings) })

  async function onSubmit(limits: Limits): Promise<void> {
    try {
      await update.mutateAsync(settingsFrom(limits))
      toast.success('Limiti salvati')
    } catch {
      toast.error('Non siamo riusciti a salvare. Riprova.')
    }
  }

  return (
    <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          name="threshold"
          label="Avvisami sotto"
          help="Crediti rimasti; 0 per non ricevere avvisi."
          inputMode="numeric"
          autoComplete="off"
        />
        <TextField
          name="cap"
          label="Tetto mensile"
          help="Crediti al mese; vuoto per nessun tetto."
          inputMode="numeric"
          autoComplete="off"
        />
      </div>
    </AuthForm>
  )
}
