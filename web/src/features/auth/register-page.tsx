/** /register (LOGIN-02). */
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { signUp } from '@/api/auth'
import { AuthForm, EmailField, TextField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { withAddress } from '@/features/auth/known-address'
import { PasswordField } from '@/components/password-field'
import { registerSchema, type RegisterValues } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

export default function RegisterPage() {
  const navigate = useNavigate()
  const form = useForm<RegisterValues>({
    resolver: zodResolver(registerSchema),
    defaultValues: { fullName: '', email: '', password: '', confirmPassword: '' },
  })

  async function onSubmit({ fullName, email, password }: RegisterValues): Promise<void> {
    try {
      await signUp({ fullName, email, password })
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
