/** /register (LOGIN-02). */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useNavigate, useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { signUp } from '@/api/auth'
import { AuthForm, EmailField, TextField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { withAddress } from '@/features/auth/known-address'
import { PasswordField } from '@/components/password-field'
import { registerSchema, type RegisterValues } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paidPlan, useCatalog } from '@/data/catalog'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

export default function RegisterPage() {
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const plan = paidPlan(params.get('piano'), useCatalog())
  const form = useForm<RegisterValues>({
    resolver: zodResolver(registerSchema),
    defaultValues: { fullName: '', email: '', password: '', confirmPassword: '' },
  })

  async function onSubmit({ fullName, email, password }: RegisterValues): Promise<void> {
    try {
      await signUp({ fullName, email, password, chosenPlan: plan?.id ?? null })
      toast.success('Registrazione completata! Controlla la tua email per confermare.')
      await navigate(paths.login, { state: withAddress(email) })
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la registrazione'))
    }
  }

  return (
    <AuthScreen
      title="Crea il tuo account"
      intro="Bastano un indirizzo email e una password. Parti con 100 crediti gratuiti, senza carta."
      footer={
        <>
          Hai già un account? <TextLink to={paths.login}>Accedi</TextLink>
        </>
      }
    >
      {plan && (
        <p className="rounded-md bg-secondary p-4 text-sm text-pretty text-secondary-foreground">
          Hai scelto {plan.name}. Gli abbonamenti sono in arrivo: ti avvisiamo appena aprono. Intanto parti dal piano
          Free, e non paghi nulla.
        </p>
      )}
      <AuthForm form={form} onSubmit={onSubmit} submit="Crea account">
        <TextField name="fullName" label="Nome completo" autoComplete="name" maxLength={120} />
        <EmailField />
        <PasswordField name="password" label="Password" autoComplete="new-password" checklist />
        <PasswordField name="confirmPassword" label="Conferma password" autoComplete="new-password" />
      </AuthForm>
      {/* In a tab of their own: what has been typed stays. */}
      <p className="text-sm text-muted-foreground">
        Creando l’account accetti i{' '}
        <TextLink to={paths.termsOfService} target="_blank" className="inline underline">
          Termini di Servizio
        </TextLink>{' '}
        (età minima 16 anni). Come trattiamo i tuoi dati:{' '}
        <TextLink to={paths.privacyPolicy} target="_blank" className="inline underline">
          Privacy Policy
        </TextLink>
        .
      </p>
    </AuthScreen>
  )
}
