import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { requestReauthentication, updatePassword } from '@/api/auth'
import { AuthForm, CodeField } from '@/components/auth-form'
import { PasswordField } from '@/components/password-field'
import { Button } from '@/components/ui/button'
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

const untouched: ChangePasswordValues = { password: '', confirmPassword: '', currentPassword: '', nonce: undefined }

export function PasswordCard() {
  const user = useUser()
  const client = useQueryClient()
  // A server may want both, one after the other.
  const [asked, setAsked] = useState<ReadonlySet<Proof>>(new Set())
  const form = useForm<ChangePasswordValues>({
    resolver: zodResolver(changePasswordSchema),
    defaultValues: untouched,
  })
  const mail = useMutation({
    mutationFn: requestReauthentication,
    onSuccess: () => toast.info('Ti abbiamo mandato un codice per email: copialo qui per confermare.'),
    onError: (error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante l’invio dell’email')),
  })

  async function onSubmit({ password, currentPassword, nonce }: ChangePasswordValues): Promise<void> {
    try {
      await updatePassword({
        password,
        ...(asked.has('currentPassword') && { current_password: currentPassword }),
        ...(asked.has('nonce') && nonce && { nonce }),
      })
      setAsked(new Set())
      mail.reset()
      form.reset(untouched)
      toast.success('Password aggiornata', { description: 'Gli altri dispositivi dovranno accedere di nuovo.' })
      await client.invalidateQueries({ queryKey: authSessionsQuery(user.id).queryKey })
    } catch (thrown) {
      explain(asAuthFailure(thrown))
    }
  }

  function explain(failure: AuthFailure): void {
    const proof = proofs[failure.code ?? ''] ?? null
    if (proof && !asked.has(proof)) {
      // The first time it is a question, not a mistake.
      form.setValue(proof, '')
      setAsked(new Set([...asked, proof]))
      if (proof === 'nonce') mail.mutate()
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
        {asked.has('currentPassword') && (
          <PasswordField name="currentPassword" label="Password attuale" autoComplete="current-password" />
        )}
        {asked.has('nonce') && (
          <div className="grid gap-1.5">
            <CodeField
              name="nonce"
              label="Codice di conferma"
              {...(mail.isSuccess && { help: 'È nell’email che ti abbiamo appena mandato.' })}
            />
            <Button
              type="button"
              variant="link"
              className="justify-self-start p-0"
              disabled={mail.isPending}
              onClick={() => mail.mutate()}
            >
              Invia di nuovo
            </Button>
          </div>
        )}
      </AuthForm>
    </Card>
  )
}
