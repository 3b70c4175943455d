/** /settings/business: what the business is on paper, in three parts that are saved apart. */
import { AuthForm, TextField } from '@/components/auth-form'
import { LoadError } from '@/components/load-error'
import { ActivityField, TaxRegimeChoice } from '@/components/profile-fields'
import { SettingsScreen } from '@/components/settings-screen'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useAuth } from '@/data/auth-context'
import { activityChange, activityOf, activitySchema, paymentChange, paymentOf, paymentSchema } from '@/data/business'
import type { Profile } from '@/data/profiles'
import { BusinessOffers } from '@/features/settings/business-offers'
import { LogoCard } from '@/features/settings/logo-card'
import { TaxCard } from '@/features/settings/tax-card'
import { useProfileForm } from '@/features/settings/use-profile-form'

export default function BusinessPage() {
  const { profile, reloadProfile } = useAuth()
  return (
    <SettingsScreen title="Attività e dati fiscali">
      {profile ? (
        <>
          <ActivityCard profile={profile} />
          <TaxCard profile={profile} />
          <PaymentCard profile={profile} />
          <LogoCard profile={profile} />
        </>
      ) : (
        // The guard waited for the answer: without a profile here there was none.
        <LoadError
          text="Non riusciamo a leggere i dati della tua attività in questo momento."
          onRetry={reloadProfile}
        />
      )}
    </SettingsScreen>
  )
}

function ActivityCard({ profile }: { profile: Profile }) {
  const { form, onSubmit } = useProfileForm(profile, {
    schema: activitySchema,
    valuesOf: activityOf,
    changeFrom: activityChange,
    saved: 'Attività salvata',
  })
  return (
    <Card>
      <CardHeader>
        <CardTitle>Attività</CardTitle>
        <CardDescription>Così Socio ti parla del tuo lavoro, non di uno qualsiasi.</CardDescription>
      </CardHeader>
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva l’attività" inline>
        <BusinessOffers userId={profile.user_id} of={['business_name', 'tax_regime']} />
        <TextField
          name="businessName"
          label="Nome dell’attività"
          help="Firma i solleciti, il pacchetto per il commercialista e l’informativa IA."
          autoComplete="organization"
          maxLength={120}
        />
        <ActivityField />
        <TaxRegimeChoice />
        <TextField
          name="ateco"
          label="Codice ATECO"
          help="Sei cifre, come 74.12.01: è nel certificato della partita IVA. Nel forfettario suggerisce il coefficiente."
          inputMode="decimal"
          autoComplete="off"
          maxLength={10}
        />
      </AuthForm>
    </Card>
  )
}

function PaymentCard({ profile }: { profile: Profile }) {
  const { form, onSubmit } = useProfileForm(profile, {
    schema: paymentSchema,
    valuesOf: paymentOf,
    changeFrom: paymentChange,
    saved: 'Dati di pagamento salvati',
  })
  return (
    <Card>
      <CardHeader>
        <CardTitle>Pagamenti</CardTitle>
        <CardDescription>
          Il conto su cui ti pagano: Socio lo scrive nei solleciti e lo riconosce nelle email.
        </CardDescription>
      </CardHeader>
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva i pagamenti" inline>
        <BusinessOffers userId={profile.user_id} of={['iban']} />
        <TextField
          name="iban"
          label="IBAN"
          help="Quando l’agente manda solleciti, lo nomina solo se l’hai confermato nel mandato."
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={50}
          className="tabular"
        />
        <TextField
          name="accountHolder"
          label="Intestatario"
          help="Solo se il conto non è a nome tuo o dell’attività: la banca di chi paga confronta il nome."
          autoComplete="off"
          maxLength={120}
        />
      </AuthForm>
    </Card>
  )
}
