import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useLocation } from 'react-router'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { type Profile, useUpdateProfile } from '@/data/profiles'
import { anyTaxCode, vatNumber } from '@/lib/tax-ids'
import { z } from '@/lib/zod'

const schema = z.object({
  vatNumber: z.string().refine((typed) => !typed.trim() || vatNumber(typed), 'Partita IVA non valida'),
  taxCode: z.string().refine((typed) => !typed.trim() || anyTaxCode(typed), 'Codice fiscale non valido'),
})

type Values = z.infer<typeof schema>

const ID = 'dati-fiscali'
const scrollTo = (card: HTMLElement | null) => card?.scrollIntoView()

/** By these numbers an invoice is known as one's own or as a supplier's. */
export function TaxCard({ profile }: { profile: Profile }) {
  const update = useUpdateProfile()
  const isWanted = useLocation().hash === `#${ID}`
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    values: { vatNumber: profile.vat_number ?? '', taxCode: profile.tax_code ?? '' },
  })

  async function onSubmit(values: Values): Promise<void> {
    try {
      await update.mutateAsync({ vat_number: vatNumber(values.vatNumber), tax_code: anyTaxCode(values.taxCode) })
      toast.success('Dati fiscali salvati')
    } catch {
      toast.error('Non siamo riusciti a salvare. Riprova.')
    }
  }

  return (
    <Card id={ID} ref={isWanted ? scrollTo : undefined} className="scroll-mt-20">
      <CardHeader>
        <CardTitle>Dati fiscali</CardTitle>
        <CardDescription>Così Socio distingue le fatture che emetti da quelle che ricevi.</CardDescription>
      </CardHeader>
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva i dati fiscali" inline>
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField name="vatNumber" label="Partita IVA" inputMode="numeric" autoComplete="off" />
          <TextField name="taxCode" label="Codice fiscale" autoComplete="off" autoCapitalize="characters" />
        </div>
      </AuthForm>
    </Card>
  )
}
