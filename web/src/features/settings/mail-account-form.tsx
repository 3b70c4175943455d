/** Server, name and password of a mail account; the server is tried before anything is kept. */
import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { AuthForm, TextField } from '@/components/auth-form'
import { PasswordField } from '@/components/password-field'
import { Button } from '@/components/ui/button'
import { FormControl, FormField, FormItem, FormLabel } from '@/components/ui/form'
import { Select } from '@/components/ui/select'
import { Textarea } from '@/components/ui/textarea'
import { useAuth } from '@/data/auth-context'
import { useConnectMail } from '@/data/mail'
import { type MailProvider, mailLoginsQuery } from '@/data/mail-login'
import { FunctionError } from '@/lib/server-errors'
import { z } from '@/lib/zod'
import { mailPresets, mailProviders, type Preset } from '@/strings/mail'

const schema = z.object({
  address: z.email('Scrivi il tuo indirizzo email'),
  fromName: z.string().trim().max(200, 'Al massimo 200 caratteri'),
  host: z.string().trim().min(1, 'Scrivi il nome del server, per esempio smtps.aruba.it'),
  port: z.string().regex(/^\d{1,5}$/, 'Scrivi la porta, di solito 465 o 587'),
  security: z.enum(['tls', 'starttls']),
  imapHost: z.string().trim().max(253, 'Al massimo 253 caratteri'),
  imapPort: z.string().regex(/^\d{1,5}$/, 'Scrivi la porta, di solito 993'),
  username: z.string().trim().min(1, 'Scrivi il nome utente: di solito è l’indirizzo'),
  password: z.string().min(1, 'Scrivi la password'),
  isCertified: z.boolean(),
  signature: z.string().max(2000, 'Al massimo 2.000 caratteri'),
})

type Values = z.infer<typeof schema>

export function MailAccountForm({ userId }: { userId: string }) {
  const { profile, user } = useAuth()
  const connect = useConnectMail(userId)
  const [preset, setPreset] = useState<Preset | null>(null)
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: {
      address: user?.email ?? '',
      fromName: profile?.business_name ?? profile?.full_name ?? '',
      host: '',
      port: '465',
      security: 'tls',
      imapHost: '',
      imapPort: '993',
      username: user?.email ?? '',
      password: '',
      isCertified: false,
      signature: '',
    },
  })

  function onPreset(chosen: Preset) {
    setPreset(chosen)
    form.setValue('host', chosen.host)
    form.setValue('port', String(chosen.port))
    form.setValue('security', chosen.security)
    form.setValue('imapHost', chosen.imap ?? '')
    form.setValue('imapPort', '993')
    form.setValue('isCertified', chosen.isCertified ?? false)
  }

  async function onSubmit({
    address,
    fromName,
    port,
    imapHost,
    imapPort,
    isCertified,
    ...values
  }: Values): Promise<void> {
    try {
      await connect.mutateAsync({
        ...values,
        port: Number(port),
        from_address: address,
        from_name: fromName,
        is_certified: isCertified,
        imap: imapHost
          ? { host: imapHost, port: Number(imapPort), security: imapPort === '993' ? 'tls' : 'starttls' }
          : null,
      })
      toast.success('Casella collegata')
    } catch (error) {
      form.setError('password', {
        message: error instanceof FunctionError ? error.message : 'Non siamo riusciti a collegare la casella: riprova',
      })
    }
  }

  const presets = (
    <div role="group" aria-label="Il tuo fornitore" className="flex flex-wrap gap-2">
      {mailPresets.map((each) => (
        <Button
          key={each.name}
          type="button"
          variant={each === preset ? 'secondary' : 'outline'}
          size="sm"
          aria-pressed={each === preset}
          onClick={() => onPreset(each)}
        >
          {each.name}
        </Button>
      ))}
    </div>
  )
  if (preset?.login)
    return (
      <div className="grid gap-5">
        {presets}
        <LoginOnly userId={userId} provider={preset.login} />
      </div>
    )

  return (
    <AuthForm form={form} onSubmit={onSubmit} submit="Collega" inline>
      {presets}
      {preset?.hint && <p className="text-sm text-muted-foreground">{preset.hint}</p>}
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField name="address" label="Il tuo indirizzo" type="email" autoComplete="email" maxLength={254} />
        <TextField name="fromName" label="Nome del mittente" autoComplete="name" maxLength={200} />
        <TextField name="host" label="Server SMTP" autoComplete="off" maxLength={253} />
        <TextField name="port" label="Porta" inputMode="numeric" autoComplete="off" maxLength={5} />
        <FormField
          control={form.control}
          name="security"
          render={({ field }) => (
            <FormItem>
              <FormLabel>Collegamento</FormLabel>
              <FormControl>
                <Select {...field}>
                  <option value="tls">TLS (porta 465)</option>
                  <option value="starttls">STARTTLS (porta 587)</option>
                </Select>
              </FormControl>
            </FormItem>
          )}
        />
        <TextField name="imapHost" label="Server IMAP, per leggere la posta" autoComplete="off" maxLength={253} />
        <TextField name="imapPort" label="Porta del server IMAP" inputMode="numeric" autoComplete="off" maxLength={5} />
        <TextField name="username" label="Nome utente" autoComplete="off" maxLength={320} />
      </div>
      <label className="flex min-h-11 items-center gap-2.5 text-sm">
        <input type="checkbox" className="size-4.5 accent-primary" {...form.register('isCertified')} />È una casella di
        posta certificata (PEC)
      </label>
      <PasswordField name="password" label="Password della casella" autoComplete="new-password" />
      <FormField
        control={form.control}
        name="signature"
        render={({ field }) => (
          <FormItem>
            <FormLabel>Firma</FormLabel>
            <FormControl>
              <Textarea {...field} rows={3} maxLength={2000} />
            </FormControl>
          </FormItem>
        )}
      />
    </AuthForm>
  )
}

/** A provider that takes no password: the way to sign in, or what is missing. */
function LoginOnly({ userId, provider }: { userId: string; provider: MailProvider }) {
  const { data: offered } = useQuery(mailLoginsQuery(userId))
  const name = mailProviders[provider]
  if (offered === undefined) return null
  return offered[provider] ? (
    <p className="text-sm text-muted-foreground">
      Qui non serve la password: usa «Collega {name}» qui sopra, anche per Microsoft 365.
    </p>
  ) : (
    <p className="text-sm text-pretty text-muted-foreground">
      {name} e Microsoft 365 non accettano una password: serve l’accesso di Microsoft, che su questo server non è ancora
      attivo. Lo attiva chi gestisce il server, con un’applicazione registrata presso Microsoft. Intanto puoi inoltrare
      qui le email che ricevi.
    </p>
  )
}
