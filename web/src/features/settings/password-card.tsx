import { zodResolver } from '@hookform/resolvers/zod'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { requestReauthentication, updatePassword } from '@/api/auth'
import { AuthForm, TextField } from '@/components/auth-form'
import { PasswordField } from '@/components/password-field'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { authSessionsQuery } from '@/data/auth-sessions'
import { changePasswordSchema, type ChangePasswordValues } from '@/features/settings/schemas'
import { asAuthFailure, type AuthFailure, authErrorMessage } from '@/strings/auth-errors'

type Field = keyof ChangePasswordValues

/** What else the server wants to know before it believes that this is the owner. */
type Proof = 'nonce' | 'currentPassword'

const proofs: Record<string, Proof> = {
  reauthentication_needed: 'nonce',
  reauthentication_not_valid: 'nonce',
  current_password_required: 'currentPassword',
  current_password_invalid: 'currentPassword',
}

const untouched: ChangePasswordValues = { password: '', confirmPassword: '', currentPassword: '', nonce: '' }

export function PasswordCard() {
  const user = useUser()
  const client = useQueryClient()
  const [asked, setAsked] = useState<Proof | null>(null)
  const form = useForm<ChangePasswordValues>({
    resolver: zodResolver(changePasswordSchema),
    defaultValues: untouched,
  })

  async function onSubmit({ password, currentPassword, nonce }: ChangePasswordValues): Promise<void> {
    try {
      await updatePassword({
        password,
        ...(asked === 'currentPassword' && { current_password: currentPassword }),
        ...(asked === 'nonce' && { nonce }),
      })
      setAsked(null)
      form.reset(untouched)
      toast.success('Password aggiornata', { description: 'Gli altri dispositivi dovranno accedere di nuovo.' })
      await client.invalidateQueries({ queryKey: authSessionsQuery(user.id).queryKey })
    } catch (thrown) {
      await explain(asAuthFailure(thrown))
    }
  }

  async function explain(failure: AuthFailure): Promise<void> {
    const proof = proofs[failure.code ?? ''] ?? null
    if (proof && proof !== asked) {
      // The first time it is a question, not a mistake.
      setAsked(proof)
      if (proof === 'nonce') await sendNonce()
      return
    }
    const field: Field = proof ?? 'password'
    form.setError(field, { message: authErrorMessage(failure, 'Errore durante la modifica della password') })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Password</CardTitle>
        <CardDescription>Vale da subito. Gli altri dispositivi dovranno accedere di nuovo.</CardDescription>
      </CardHeader>
      <AuthForm form={form} onSubmit={onSubmit} submit="Cambia password" inline>
        {/* Password managers look for the account that the new password belongs to. */}
        <input type="email" autoComplete="username" value={user.email ?? ''} readOnly hidden />
        <PasswordField name="password" label="Nuova password" autoComplete="new-password" checklist />
        <PasswordField name="confirmPassword" label="Conferma password" autoComplete="new-password" />
        {asked === 'currentPassword' && (
          <PasswordField name="currentPassword" label="Password attuale" autoComplete="current-password" />
        )}
        {asked === 'nonce' && (
          <TextField
            name="nonce"
            label="Codice di conferma"
            help="È nell’email che ti abbiamo appena mandato."
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={10}
            className="tabular tracking-[0.3em]"
          />
        )}
      </AuthForm>
    </Card>
  )
}

async function sendNonce(): Promise<void> {
  try {
    await requestReauthentication()
    toast.info('Ti abbiamo mandato un codice per email: copialo qui per confermare.')
  } catch (thrown) {
    toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante l’invio dell’email'))
  }
}
