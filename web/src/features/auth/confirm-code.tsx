import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { requestPasswordReset, verifyEmailCode } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { AuthForm, EmailField, TextField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { addressIn } from '@/features/auth/known-address'
import { resend } from '@/features/auth/resend'
import { codeSchema, type CodeValues, type Purpose } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

const texts: Record<Purpose, { title: string; submit: string }> = {
  signup: { title: 'Conferma il tuo indirizzo', submit: 'Conferma indirizzo' },
  email: { title: 'Conferma il tuo indirizzo', submit: 'Conferma indirizzo' },
  email_change: { title: 'Conferma il nuovo indirizzo', submit: 'Conferma indirizzo' },
  recovery: { title: 'Inserisci il codice', submit: 'Continua' },
}

/** The six digits of the mail, for people who read it on another device. */
export function ConfirmCode({ type }: { type: Purpose }) {
  const navigate = useNavigate()
  const form = useForm<CodeValues>({
    resolver: zodResolver(codeSchema),
    defaultValues: { email: addressIn(useLocation()), code: '' },
  })

  async function onSubmit({ email, code }: CodeValues): Promise<void> {
    try {
      await verifyEmailCode(email, code, type)
      if (type === 'recovery') return await navigate(paths.resetPassword, { replace: true })
      toast.success('Indirizzo confermato')
      await navigate(paths.landing, { replace: true })
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la conferma'))
    }
  }

  async function sendAgain(): Promise<void> {
    if (!(await form.trigger('email', { shouldFocus: true }))) return
    await (type === 'recovery' ? requestAgain(form.getValues('email')) : resend(form.getValues('email')))
  }

  const { title, submit } = texts[type]
  return (
    <AuthScreen
      title={title}
      intro="Apri l’email che ti abbiamo mandato e copia qui il codice di sei cifre, oppure premi il pulsante che contiene."
      footer={<TextLink to={paths.login}>Torna al login</TextLink>}
    >
      <AuthForm form={form} onSubmit={onSubmit} submit={submit}>
        <EmailField />
        <TextField
          name="code"
          label="Codice di sei cifre"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={7}
          className="tabular tracking-[0.3em]"
        />
      </AuthForm>
      {type !== 'email_change' && (
        <Button variant="ghost" className="-mt-3" onClick={() => void sendAgain()}>
          Invia di nuovo
        </Button>
      )}
    </AuthScreen>
  )
}

async function requestAgain(email: string): Promise<void> {
  try {
    await requestPasswordReset(email)
    toast.success('Email di reset inviata! Controlla la tua casella.')
  } catch (thrown) {
    toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante il reset password'))
  }
}
