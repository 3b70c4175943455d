/**
 * /reset-password: target of the link in the recovery mail, and of an invitation's.
 *
 * The token of the link is spent only together with the new password, so neither a mail scanner nor a reload can
 * waste it. A browser that is already signed in (the fragment of GET /verify, or the code) needs no token.
 */
import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { updatePassword, verifyEmailLink } from '@/api/auth'
import { PageSpinner } from '@/components/page-spinner'
import { Button } from '@/components/ui/button'
import { useAuth } from '@/data/auth-context'
import { AuthForm } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { PasswordField } from '@/components/password-field'
import { choosesPassword, purpose, resetPasswordSchema, type ResetPasswordValues } from '@/features/auth/schemas'
import { SecondFactor } from '@/features/auth/second-factor'
import { TextLink } from '@/features/auth/text-link'
import { redirectFailure } from '@/lib/redirect-failure'
import { paths } from '@/paths'
import { asAuthFailure, type AuthFailure, authErrorMessage, isDeadLink } from '@/strings/auth-errors'

export default function ResetPasswordPage() {
  const [params] = useSearchParams()
  const location = useLocation()
  const { user, halfway, isLoading } = useAuth()
  const navigate = useNavigate()
  const type = purpose.parse(params.get('type'))
  const isInvited = type === 'invite'
  const [token, setToken] = useState(params.get('token_hash'))
  // GET /verify reports a dead link in the fragment.
  const [dead, setDead] = useState<AuthFailure | null>(redirectFailure(location))
  const form = useForm<ResetPasswordValues>({
    resolver: zodResolver(resetPasswordSchema),
    defaultValues: { password: '', confirmPassword: '' },
  })

  async function onSubmit({ password }: ResetPasswordValues): Promise<void> {
    try {
      if (token) {
        const signedIn = await verifyEmailLink(token, choosesPassword(type) ? type : 'recovery')
        // Spent: when the server then refuses the password, the next attempt goes on with the session.
        setToken(null)
        // The page asks for it now, and then comes back here.
        if (signedIn?.needsSecondFactor) return
      }
      await updatePassword({ password })
      toast.success(isInvited ? 'Il tuo account è attivo' : 'Password aggiornata')
      await navigate(paths.landing, { replace: true })
    } catch (thrown) {
      const failure = asAuthFailure(thrown)
      if (isDeadLink(failure)) setDead(failure)
      else toast.error(authErrorMessage(failure, 'Errore durante il reset password'))
    }
  }

  if (dead) return <NewLink text={authErrorMessage(dead, 'Errore durante il reset password')} />
  if (halfway) {
    return (
      <SecondFactor
        user={halfway}
        onVerified={() => {
          if (form.getValues('password')) void form.handleSubmit(onSubmit)()
        }}
      />
    )
  }
  if (!token && !user && isLoading) return <PageSpinner />
  if (!token && !user) return <NewLink text="Questa pagina si apre dal link che ti mandiamo per email." />
  return (
    <AuthScreen
      title={isInvited ? 'Scegli la tua password' : 'Scegli una nuova password'}
      intro={
        isInvited
          ? 'Con questa e il tuo indirizzo entri in Socio quando vuoi.'
          : 'Vale da subito. Gli altri dispositivi dovranno accedere di nuovo.'
      }
    >
      <AuthForm form={form} onSubmit={onSubmit} submit={isInvited ? 'Accetta l’invito' : 'Salva la nuova password'}>
        {/* Tells the password manager whose password this is. */}
        <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
        <PasswordField
          name="password"
          label={isInvited ? 'Password' : 'Nuova password'}
          autoComplete="new-password"
          checklist
        />
        <PasswordField name="confirmPassword" label="Conferma password" autoComplete="new-password" />
      </AuthForm>
    </AuthScreen>
  )
}

function NewLink({ text }: { text: string }) {
  const { user } = useAuth()
  return (
    <AuthScreen title="Serve un nuovo link" intro={text}>
      <div className="grid gap-2">
        <Button asChild size="lg">
          {user ? (
            // Nobody who is signed in needs a mail.
            <Link to={paths.settingsSecurity}>Cambia password</Link>
          ) : (
            <Link to={paths.forgotPassword}>Richiedi un nuovo link</Link>
          )}
        </Button>
        <TextLink className="justify-self-center" to={`${paths.authConfirm}?type=recovery`}>
          Ho un codice di sei cifre
        </TextLink>
      </div>
    </AuthScreen>
  )
}
