/** /settings/channels: the mail account, the address for forwarded mails and the WhatsApp number of a person. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { MailLoginButton, MailLoginButtons } from '@/components/mail-login-buttons'
import { SettingsScreen } from '@/components/settings-screen'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type MailAccount, mailAccountQuery } from '@/data/mail'
import { DomainCard } from '@/features/settings/domain-card'
import { ForwardingCard } from '@/features/settings/forwarding-card'
import { MailAccountActions } from '@/features/settings/mail-account-actions'
import { MailAccountForm } from '@/features/settings/mail-account-form'
import { MailLoginReturn } from '@/features/settings/mail-login-return'
import { MailTemplatesCard } from '@/features/settings/mail-templates-card'
import { SharedCard } from '@/features/settings/shared-card'
import { SuppressionsCard } from '@/features/settings/suppressions-card'
import { WhatsappCard } from '@/features/settings/whatsapp-card'
import { WhatsappSignupReturn } from '@/features/settings/whatsapp-signup-return'
import { fullDate } from '@/strings/dates'
import { mailErrors, mailLoginErrors, mailProviders } from '@/strings/mail'

export default function ChannelsPage() {
  const { id: userId } = useUser()
  const { data: account, isPending, isError, refetch } = useQuery(mailAccountQuery(userId))
  return (
    <SettingsScreen title="Canali">
      <MailLoginReturn userId={userId} />
      <WhatsappSignupReturn userId={userId} />
      {isPending && <Skeleton aria-busy className="h-96" />}
      {isError && account === undefined && (
        <LoadError text="Non riusciamo a leggere i tuoi canali in questo momento." onRetry={() => void refetch()} />
      )}
      {account && !account.is_shared && <Connected userId={userId} account={account} />}
      {account && !account.is_shared && !account.is_certified && <DomainCard address={account.from_address} />}
      {(account === null || account?.is_shared) && <SharedCard userId={userId} account={account} />}
      {account === null && <ForwardingCard userId={userId} />}
      {(account === null || account?.is_shared) && (
        <Card>
          <CardHeader>
            <CardTitle>Collega la tua email</CardTitle>
            <CardDescription>
              Socio invia dalla tua casella, a nome tuo e solo quando lo decidi tu. Con la password legge la posta solo
              se indichi il server IMAP.{account && ' Da allora le email partono da lì e non più tramite Socio.'}
            </CardDescription>
          </CardHeader>
          <MailLoginButtons userId={userId} />
          <MailAccountForm userId={userId} />
        </Card>
      )}
      {account && <ForwardingCard userId={userId} />}
      <MailTemplatesCard userId={userId} account={account ?? null} />
      <SuppressionsCard userId={userId} />
      <WhatsappCard userId={userId} />
    </SettingsScreen>
  )
}

function Connected({ userId, account }: { userId: string; account: MailAccount }) {
  const { last_error: error, last_error_reply: reply, last_error_at: failedAt, last_success_at: succeededAt } = account
  const { provider, login_expired_at: expiredAt } = account
  const secret = provider ? 'l’accesso' : 'la password'

  return (
    <Card>
      <CardHeader>
        <CardTitle>{account.is_certified ? 'PEC' : 'Email'}</CardTitle>
        <CardDescription>
          {account.from_address}
          {provider ? `, con l’accesso di ${mailProviders[provider]}` : `, da ${account.host}:${account.port}`}
        </CardDescription>
      </CardHeader>
      <dl className="grid gap-2 text-sm">
        {succeededAt && (
          <div>
            <dt className="text-muted-foreground">Ultimo invio o accesso riuscito</dt>
            <dd>{fullDate(succeededAt)}</dd>
          </div>
        )}
        {provider && expiredAt && (
          <div>
            <dt className="font-medium text-error">Accesso scaduto: ricollega {mailProviders[provider]}</dt>
            <dd className="text-pretty">
              Dal {fullDate(expiredAt)} Socio non può più inviare né leggere. Le email in coda aspettano e partono
              quando ricolleghi {account.username}.
            </dd>
          </div>
        )}
        {error && failedAt && !expiredAt && (
          <div>
            <dt className="text-error">Ultimo errore</dt>
            <dd className="break-words">
              {(provider && mailLoginErrors[error]) ?? mailErrors[error]}, {fullDate(failedAt)}
              {reply && <span className="block text-muted-foreground">Il server ha risposto: {reply}</span>}
            </dd>
          </div>
        )}
      </dl>
      {provider && expiredAt && (
        <div>
          <MailLoginButton provider={provider} isAgain />
        </div>
      )}
      <MailAccountActions
        userId={userId}
        triedAt={account.from_address}
        disconnected={
          provider
            ? 'Casella scollegata: l’accesso è stato cancellato'
            : 'Casella scollegata: la password è stata cancellata'
        }
      />
      <p className="text-sm text-muted-foreground">
        Se scolleghi la casella, {secret} si cancella e le email in coda si annullano.
      </p>
    </Card>
  )
}
