import { useMutation, useQuery } from '@tanstack/react-query'
import { FingerprintIcon } from 'lucide-react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { signInWithPasskey, signInWithProvider } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { authOfferQuery } from '@/data/auth-settings'
import { canUseWebAuthn } from '@/lib/webauthn'
import { returnPath } from '@/lib/return-path'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { providerName } from '@/strings/providers'

const onError = (error: Error) =>
  toast.error('Errore di autenticazione', {
    description: authErrorMessage(asAuthFailure(error), 'Errore durante il login'),
  })

/** Passkey and accounts elsewhere: only what the server offers and this browser can; without an answer, nothing. */
export function OtherWays() {
  const navigate = useNavigate()
  const { data: offer } = useQuery(authOfferQuery)
  const passkey = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: async ({ needsSecondFactor }) => {
      if (!needsSecondFactor) toast.success('Login effettuato con successo!')
      await navigate(needsSecondFactor ? paths.secondFactor : returnPath(paths.landing), { replace: true })
    },
    onError,
  })
  const provider = useMutation({ mutationFn: signInWithProvider, onError })

  const withPasskey = offer?.passkeys && canUseWebAuthn()
  if (!offer || (!withPasskey && offer.providers.length === 0)) return null
  const isBusy = passkey.isPending || provider.isPending
  return (
    <div className="grid gap-2 border-t pt-6">
      {withPasskey && (
        <Button variant="outline" size="lg" disabled={isBusy} onClick={() => passkey.mutate()}>
          <FingerprintIcon aria-hidden />
          Accedi con una passkey
        </Button>
      )}
      {offer.providers.map((name) => (
        <Button key={name} variant="outline" size="lg" disabled={isBusy} onClick={() => provider.mutate(name)}>
          Continua con {providerName(name)}
        </Button>
      ))}
    </div>
  )
}
