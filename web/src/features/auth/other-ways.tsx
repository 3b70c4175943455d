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

/** Of a sign-in by one of them. */
export const otherWaysKey = ['other-ways']

/** Passkey and accounts elsewhere: only what the server offers and this browser can; without an answer, nothing. */
export function OtherWays() {
  const navigate = useNavigate()
  const { data: offer } = useQuery(authOfferQuery)
  const passkey = useMutation({
    mutationKey: otherWaysKey,
    mutationFn: signInWithPasskey,
    onSuccess: async ({ needsSecondFactor }) => {
      if (!needsSecondFactor) toast.success('Login effettuato con successo!')
      await navigate(needsSecondFactor ? paths.secondFactor : returnPath(paths.landing), { replace: true })
    },
    onError,
  })
  const provider = useMutation({ mutationKey: otherWaysKey, mutationFn: signInWithProvider, onError })

  const withPasskey = offer?.passkeys && canUseWebAuthn()
  if (!offer || (!withPasskey && offer.providers.length === 0)) return null
  return (
    <div className="grid gap-2 border-t pt-6">
      {withPasskey && (
        <Button variant="outline" size="lg" onClick={() => passkey.mutate()}>
          <FingerprintIcon aria-hidden />
          Accedi con una passkey
        </Button>
      )}
      {offer.providers.map((name) => (
        <Button key={name} variant="outline" size="lg" onClick={() => provider.mutate(name)}>
          Continua con {providerName(name)}
        </Button>
      ))}
    </div>
  )
}
