import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { requestPasswordReset, verifyEmailCode } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { AuthForm, CodeField, EmailField } from '@/components/auth-form'
import { AuthScreen } from '@/features/auth/auth-screen'
import { HalfDone } from '@/features/auth/half-done'
import { addressIn } from '@/features/auth/known-address'
import { resend } from '@/features/auth/resend'
import { choosesPassword, codeSchema, type CodeValues, type Purpose } from '@/features/auth/schemas'
import { TextLink } from '@/features/auth/text-link'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

const oneMail =
  'Apri l’email che ti abbiamo mandato e copia qui il codice di sei cifre, oppure premi il pulsante che contiene.'

const texts: Record<Purpose, { title: string; intro: string; submit: string }> = {
  signup: { title: 'Conferma il tuo indirizzo', intro: oneMail, submit: 'Conferma indirizzo' },
  email: { title: 'Conferma il tuo indirizzo', intro: oneMail, submit: 'Conferma indirizzo' },
  email_change: {
    title: 'Conferma il nuovo indirizzo',
    intro:
      'Abbiamo scritto al vecchio e al nuovo indirizzo, ognuno con il suo codice. Apri una delle due email: scrivi l’indirizzo che l’ha ricevuta e il codice che contiene. Poi fai lo stesso con l’altra.',
    submit: 'Conferma indirizzo',
  },
  recovery: { title: 'Inserisci il codice', intro: oneMail, submit: 'Continua' },
  invite: { title: 'Accetta l’invito', intro: oneMail, submit: 'Accetta l’invito' },
  magiclink: { title: 'Entra in Socio', intro: oneMail, submit: 'Entra' },
}

/** The six digits of the mail, for people who read it on another device. */
export function ConfirmCode({ type }: { type: Purpose }) {
  const navigate = useNavigate()
  const form = useForm<CodeValues>({
    resolver: zodResolver(codeSchema),
    defaultValues: { email: addressIn(useLocation()), code: '' },
  })
  const isChange = type === 'email_change'
  const [isHalfDone, setHalfDone] = useState(false)
  const again = useMutation({ mutationFn: type === 'recovery' ? requestAgain : resend })

  async function onSubmit({ email, code }: CodeValues): Promise<void> {
    try {
      if ((await verifyEmailCode(email, code, type)) === null) {
        form.reset({ email: '', code: '' })
        return setHalfDone(true)
      }
      if (choosesPassword(type)) return await navigate(`${paths.resetPassword}?type=${type}`, { replace: true })
      toast.success(type === 'magiclink' ? 'Login effettuato con successo!' : 'Indirizzo confermato')
      await navigate(paths.landing, { replace: true })
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la conferma'))
    }
  }

  async function sendAgain(): Promise<void> {
    if (await form.trigger('email', { shouldFocus: true })) again.mutate(form.getValues('email'))
  }

  if (isHalfDone) {
    return (
      <HalfDone>
        <Button size="lg" onClick={() => setHalfDone(false)}>
          Inserisci l’altro codice
        </Button>
      </HalfDone>
    )
  }
  const { title, intro, submit } = texts[type]
  return (
    <AuthScreen
      title={title}
      intro={intro}
      footer={
        isChange ? (
          <TextLink to={paths.settingsProfile}>Torna al profilo</TextLink>
        ) : (
          <TextLink to={paths.login}>Torna al login</TextLink>
        )
      }
    >
      <fieldset disabled={form.formState.isSubmitting || again.isPending} className="contents">
        <AuthForm form={form} onSubmit={onSubmit} submit={submit}>
          <EmailField {...(isChange && { label: 'Indirizzo che ha ricevuto l’email' })} />
          <CodeField name="code" />
        </AuthForm>
        {!isChange && (
          <Button variant="ghost" className="-mt-3" onClick={() => void sendAgain()}>
            Invia di nuovo
          </Button>
        )}
      </fieldset>
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
