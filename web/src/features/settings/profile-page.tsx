/** /settings/profile: who the person is and what they do, and the address that Socio writes to. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm } from '@/components/auth-form'
import { LoadError } from '@/components/load-error'
import { ProfileFields } from '@/components/profile-fields'
import { SettingsScreen } from '@/components/settings-screen'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useAuth } from '@/data/auth-context'
import { type Answers, answersOf, answersSchema, changeFrom } from '@/data/profile-answers'
import { type Profile, useUpdateProfile } from '@/data/profiles'
import { AvatarChoice } from '@/features/settings/avatar-choice'
import { EmailCard } from '@/features/settings/email-card'
import { TaxCard } from '@/features/settings/tax-card'
import { changed } from '@/lib/changed'

export default function ProfilePage() {
  const { profile, reloadProfile } = useAuth()
  return (
    <SettingsScreen title="Profilo">
      {profile ? (
        <>
          <ProfileCard profile={profile} />
          <TaxCard profile={profile} />
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
  const update = useUpdateProfile()
  const form = useForm<Answers>({
    resolver: zodResolver(answersSchema),
    values: answersOf(profile),
    // What was typed stays when another tab has written something else.
    resetOptions: { keepDirtyValues: true },
  })

  async function onSubmit(answers: Answers): Promise<void> {
    const changes = changed(changeFrom(answers), changeFrom(answersOf(profile)))
    try {
      // The server refuses a change of nothing.
      const saved = Object.keys(changes).length > 0 ? await update.mutateAsync(changes) : profile
      form.reset(answersOf(saved), { keepDirtyValues: false })
      toast.success('Profilo salvato')
    } catch {
      toast.error('Non siamo riusciti a salvare. Riprova.')
    }
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>I tuoi dati</CardTitle>
        <CardDescription>Socio li usa per parlarti del tuo lavoro, non di uno qualsiasi.</CardDescription>
      </CardHeader>
      <AvatarChoice profile={profile} />
      <AuthForm form={form} onSubmit={onSubmit} submit="Salva" inline>
        <ProfileFields />
      </AuthForm>
    </Card>
  )
}
