import { AuthForm, TextField } from '@/components/auth-form'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { taxChange, taxOf, taxSchema } from '@/data/business'
import type { Profile } from '@/data/profiles'
import { BusinessOffers } from '@/features/settings/business-offers'
import { useProfileForm } from '@/features/settings/use-profile-form'

const offered = ['vat_number', 'tax_code', 'address', 'pec', 'sdi_code', 'business_phone'] as const

/** By the tax numbers an invoice is known as one's own or as a supplier's. */
export function TaxCard({ profile }: { profile: Profile }) {
  const { form, onSubmit } = useProfileForm(profile, {
    schema: taxSchema,
    valuesOf: taxOf,
    changeFrom: taxChange,
    saved: 'Dati fiscali salvati',
  })
  return (
    <Card>
      <CardHeader>
        <CardTitle>Dati fiscali</CardTitle>
        <CardDescription>
          Con partita IVA e codice fiscale Socio distingue le fatture che emetti da quelle che ricevi.
        </CardDescription>
      </CardHeader>
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva i dati fiscali" inline>
        <BusinessOffers userId={profile.user_id} of={offered} />
        <div className="grid gap-5 sm:grid-cols-2">
          <TextField name="vatNumber" label="Partita IVA" inputMode="numeric" autoComplete="off" maxLength={20} />
          <TextField
            name="taxCode"
            label="Codice fiscale"
            autoComplete="off"
            autoCapitalize="characters"
            maxLength={20}
          />
          <TextField
            name="pec"
            label="PEC"
            help="L’indirizzo che dai ai fornitori e agli uffici."
            type="email"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            maxLength={200}
          />
          <TextField
            name="sdiCode"
            label="Codice destinatario SdI"
            help="A chi ti fattura: lì arrivano le fatture elettroniche."
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={7}
          />
        </div>
        <fieldset className="grid min-w-0 gap-5">
          <legend className="mb-3 text-sm font-semibold">Sede</legend>
          <TextField name="street" label="Via e numero" autoComplete="street-address" maxLength={200} />
          <div className="grid gap-5 sm:grid-cols-[7rem_minmax(0,1fr)_7rem]">
            <TextField name="postalCode" label="CAP" inputMode="numeric" autoComplete="postal-code" maxLength={5} />
            <TextField name="city" label="Comune" autoComplete="address-level2" maxLength={120} />
            <TextField
              name="province"
              label="Provincia"
              autoComplete="address-level1"
              autoCapitalize="characters"
              maxLength={2}
            />
          </div>
          <TextField
            name="businessPhone"
            label="Telefono dell’attività"
            help="Quello che dai ai clienti."
            type="tel"
            autoComplete="tel"
            maxLength={40}
          />
        </fieldset>
      </AuthForm>
    </Card>
  )
}
