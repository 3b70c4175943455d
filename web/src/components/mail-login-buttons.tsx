/** «Collega Outlook» and «Collega Gmail», where the operator has set them up. */
import { useQuery } from '@tanstack/react-query'

import { LeaveButton } from '@/components/leave-button'
import { type MailProvider, mailLoginsQuery, useBeginMailLogin } from '@/data/mail-login'
import { mailProviders } from '@/strings/mail'

export function MailLoginButtons({ userId }: { userId: string }) {
  const { data: offered } = useQuery(mailLoginsQuery(userId))
  const providers = (['microsoft', 'google'] as const).filter((provider) => offered?.[provider])
  if (providers.length === 0) return null
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {providers.map((provider) => (
          <MailLoginButton key={provider} provider={provider} />
        ))}
      </div>
      <p className="text-sm text-pretty text-muted-foreground">
        Accedi sul sito del fornitore: Socio invia e legge la posta, e non vede la password.
      </p>
    </div>
  )
}

type Props = { provider: MailProvider; isAgain?: boolean }

/** Leaves for the provider; `isAgain` after a login that has expired. */
export function MailLoginButton({ provider, isAgain = false }: Props) {
  return (
    <LeaveButton
      begin={useBeginMailLogin()}
      value={provider}
      label={`${isAgain ? 'Ricollega' : 'Collega'} ${mailProviders[provider]}`}
      variant={isAgain ? 'default' : 'outline'}
    />
  )
}
