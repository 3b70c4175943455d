/** /settings/profile: who the person is, what they want, and the address that Socio writes to. */
import { Navigate, useLocation } from 'react-router'

import { AuthForm, TextField } from '@/components/auth-form'
import { LoadError } from '@/components/load-error'
import { GoalField } from '@/components/profile-fields'
import { SettingsScreen } from '@/components/settings-screen'
import { Avatar, AvatarImage } from '@/components/ui/avatar'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { UserAvatar } from '@/components/user-avatar'
import { useAuth } from '@/data/auth-context'
import { type Answers, answersSchema, line } from '@/data/profile-answers'
import type { Profile, ProfileChange } from '@/data/profiles'
import { type TaxValues, taxSchema, typedPhone } from '@/data/business'
import { EmailCard } from '@/features/settings/email-card'
import { HoursCard } from '@/features/settings/hours-card'
import { PictureChoice } from '@/features/settings/picture-choice'
import { SignatureCard } from '@/features/settings/signature-card'
import { useProfileForm } from '@/features/settings/use-profile-form'
import { paths } from '@/paths'

type Values = Pick<Answers, 'fullName' | 'goal'> & Pick<TaxValues, 'businessPhone'>

const person = {
  schema: answersSchema.pick({ fullName: true, goal: true }).extend({ businessPhone: taxSchema.shape.businessPhone }),
  valuesOf: ({ full_name: name, goal, business_phone: phone }: Profile): Values => ({
    fullName: name ?? '',
    goal: goal ?? '',
    businessPhone: phone ?? '',
  }),
  changeFrom: async ({ fullName, goal, businessPhone }: Values): Promise<ProfileChange> => ({
    full_name: line(fullName),
    goal: goal.trim() || null,
    business_phone: await typedPhone(businessPhone),
  }),
  saved: 'Profilo salvato',
}

const picture = {
  field: 'Foto del profilo',
  add: 'Aggiungi una foto',
  change: 'Cambia foto',
  save: 'Salva foto',
  saved: 'Foto salvata',
  removed: 'Foto tolta',
  failed: 'Non siamo riusciti a salvare la foto: riprova',
}

export default function ProfilePage() {
  const { profile, reloadProfile } = useAuth()
  // The tax numbers were here before.
  if (useLocation().hash === '#dati-fiscali') return <Navigate to={paths.settingsBusiness} replace />
  return (
    <SettingsScreen title="Profilo">
      {profile ? (
        <>
          <ProfileCard profile={profile} />
          <SignatureCard profile={profile} />
          <HoursCard profile={profile} />
        </>
      ) : (
        // The guard waited for the answer: without a profile here there was none.
        <LoadError text="Non riusciamo a leggere il tuo profilo in questo momento." onRetry={reloadProfile} />
      )}
      <EmailCard />
    </SettingsScreen>
  )
}

function ProfileCard({ profile }: { profile: Profile }) {
  const { form, onSubmit } = useProfileForm(profile, person)
  return (
    <Card>
      <CardHeader>
        <CardTitle>I tuoi dati</CardTitle>
        <CardDescription>Come ti chiama Socio, e che cosa cerca di farti ottenere.</CardDescription>
      </CardHeader>
      <PictureChoice
        profile={profile}
        column="avatar_url"
        words={picture}
        shown={<UserAvatar name={profile.full_name} imageUrl={profile.avatar_url} className="size-20 text-2xl" />}
        preview={Preview}
      />
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
        <TextField name="fullName" label="Nome completo" autoComplete="name" maxLength={120} />
        <TextField
          name="businessPhone"
          label="Telefono"
          help="Quello che dai ai clienti: lo stesso di «Attività e dati fiscali»."
          type="tel"
          autoComplete="tel"
          maxLength={40}
        />
        <GoalField />
      </AuthForm>
    </Card>
  )
}

function Preview({ source }: { source: string }) {
  return (
    <Avatar className="size-20">
      <AvatarImage src={source} alt="Anteprima della foto" />
    </Avatar>
  )
}
