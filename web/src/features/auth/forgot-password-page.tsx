/** /forgot-password: entry, then sent (LOGIN-03). */
import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useLocation } from 'react-router'
import { toast } from 'sonner'

import { requestPasswordReset } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { AuthForm, EmailField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { addressIn, withAddress } from '@/features/auth/known-address'
import { forgotPasswordSchema, type ForgotPasswordValues } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useForm<ForgotPasswordValues>({
    resolver: zodResolver(forgotPasswordSchema),
    defaultValues: { email: addressIn(useLocation()) },
  })

  async function onSubmit({ email }: ForgotPasswordValues): Promise<void> {
    try {
      await requestPasswordReset(email)
      toast.success('Email di reset inviata! Controlla la tua casella.')
      setSentTo(email)
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante il reset password'))
    }
  }

  if (sentTo !== null) {
    return (
      <AuthScreen title="Email Inviata!" intro="Controlla la tua casella email per il link di reset password.">
        <p className="text-sm text-muted-foreground">
          L’abbiamo spedita a <strong className="break-words text-foreground">{sentTo}</strong>, se a questo indirizzo
          corrisponde un account. Non la trovi? Guarda anche nella posta indesiderata.
        </p>
        <div className="grid gap-2">
          <Button asChild size="lg">
            <Link to={paths.login}>Torna al login</Link>
          </Button>
          <TextLink
            className="justify-self-center"
            to={`${paths.authConfirm}?type=recovery`}
            state={withAddress(sentTo)}
          >
            Inserisci il codice dell’email
          </TextLink>
        </div>
      </AuthScreen>
    )
  }
  return (
    <AuthScreen
      title="Password dimenticata?"
      intro="Scrivi il tuo indirizzo: ti mandiamo un link per sceglierne una nuova."
      footer={<TextLink to={paths.login}>Torna al login</TextLink>}
    >
      <AuthForm form={form} onSubmit={onSubmit} submit="Invia il link">
        <EmailField />
      </AuthForm>
    </AuthScreen>
  )
}
