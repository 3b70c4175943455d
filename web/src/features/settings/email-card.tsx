import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MailIcon } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { changeEmail, resendEmailChange } from '@/api/auth'
import { AuthForm, TextField } from '@/components/auth-form'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { accountQuery } from '@/data/account'
import { useUser } from '@/data/auth-context'
import { Entry } from '@/features/settings/entry-list'
import { emailSchema, type EmailValues } from '@/features/settings/schemas'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'

/** The address, and a change of it that waits for its confirmation. */
export function EmailCard() {
  const user = useUser()
  const client = useQueryClient()
  const { data } = useQuery(accountQuery(user.id))
  // What the session says stands in until the server has answered, and when it does not.
  const email = data?.email ?? user.email ?? ''
  const newEmail = data ? data.newEmail : (user.new_email ?? null)
  const form = useForm<EmailValues>({ resolver: zodResolver(emailSchema), defaultValues: { email: '' } })
  const again = useMutation({
    mutationFn: () => resendEmailChange(email),
    onSuccess: () => toast.success('Email inviata di nuovo! Controlla la tua casella.'),
    onError: (error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante l’invio dell’email')),
  })

  async function onSubmit(values: EmailValues): Promise<void> {
    if (values.email.toLowerCase() === email.toLowerCase()) {
      form.setError('email', { message: 'È già il tuo indirizzo' })
      return
    }
    try {
      await changeEmail(values.email)
      form.reset()
      toast.success('Ti abbiamo scritto: conferma da entrambi gli indirizzi.')
    } catch (thrown) {
      form.setError('email', { message: authErrorMessage(asAuthFailure(thrown), 'Errore durante la modifica') })
    }
    await client.invalidateQueries({ queryKey: accountQuery(user.id).queryKey })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Indirizzo email</CardTitle>
        <CardDescription>Con questo indirizzo accedi e ricevi i nostri messaggi.</CardDescription>
      </CardHeader>
      <ul aria-label="I tuoi indirizzi" className="divide-y">
        <Entry icon={MailIcon} title={email} text="In uso" />
        {newEmail && (
          <Entry
            icon={MailIcon}
            title={
              <>
                {newEmail} <Badge variant="notice">In attesa di conferma</Badge>
              </>
            }
            text="Apri i messaggi che abbiamo mandato al vecchio e al nuovo indirizzo: la modifica vale quando li hai confermati entrambi."
          >
            <Button variant="ghost" size="sm" asChild>
              <Link to={`${paths.authConfirm}?type=email_change`}>Ho un codice</Link>
            </Button>
            <Button variant="ghost" size="sm" disabled={again.isPending} onClick={() => again.mutate()}>
              Invia di nuovo
            </Button>
          </Entry>
        )}
      </ul>
      <AuthForm form={form} onSubmit={onSubmit} submit="Cambia indirizzo" inline>
        <TextField
          name="email"
          label="Nuovo indirizzo email"
          type="email"
          autoComplete="email"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
        />
      </AuthForm>
    </Card>
  )
}
