/**
 * The question for the second factor: code of an app, security key, or recovery code instead.
 *
 * Shown after the password at /login/verifica, and before a new password when the account has a second factor.
 */
import { zodResolver } from '@hookform/resolvers/zod'
import type { Factor, User } from '@supabase/supabase-js'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'

import { signOut } from '@/api/auth'
import { AuthForm, CodeField, TextField } from '@/components/auth-form'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { verifyCode, verifySecurityKey } from '@/data/factors'
import { verifyRecoveryCode } from '@/data/recovery-codes'
import { AuthScreen } from '@/features/auth/auth-screen'
import { recoveryCodeSchema, totpSchema, type SecondFactorValues } from '@/features/auth/schemas'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { unheardLogout } from '@/strings/devices'

type Kind = 'totp' | 'webauthn' | 'recovery_code'
type Method = { id: string; kind: Kind; label: string }

const kinds: Kind[] = ['totp', 'webauthn', 'recovery_code']

const texts: Record<Kind, { label: string; intro: string }> = {
  totp: {
    label: 'App di autenticazione',
    intro: 'Apri l’app di autenticazione sul telefono e copia qui il codice di sei cifre.',
  },
  webauthn: { label: 'Chiave di sicurezza', intro: 'Tieni pronta la chiave: il browser ti dice che cosa fare.' },
  recovery_code: {
    label: 'Codice di recupero',
    intro: 'Usa uno dei dieci codici che hai salvato. Ogni codice vale una volta sola.',
  },
}

/** Verified factors that this page knows how to ask for, the quickest first. */
function methodsOf(factors: Factor[]): Method[] {
  return kinds.flatMap((kind) =>
    factors
      .filter((factor) => factor.status === 'verified' && factor.factor_type === kind)
      .map(({ id, friendly_name }) => ({
        id,
        kind,
        label: (kind !== 'recovery_code' && friendly_name) || texts[kind].label,
      })),
  )
}

type Props = { user: User; onVerified: () => void }

export function SecondFactor({ user, onVerified }: Props) {
  const methods = methodsOf(user.factors ?? [])
  const [chosen, setChosen] = useState(methods[0]?.id)
  const method = methods.find(({ id }) => id === chosen)
  const leave = useMutation({
    mutationFn: () => signOut(user.id),
    onSuccess: (isHeard) => isHeard || toast.info(unheardLogout),
    onError: () => toast.error('Errore durante il logout'),
  })

  return (
    <AuthScreen
      title="Conferma che sei tu"
      intro={
        method ? texts[method.kind].intro : 'Il secondo fattore di questo account non si può usare da qui: scrivici.'
      }
      footer={
        <Button variant="link" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Esci e accedi con un altro account
        </Button>
      }
    >
      {method && (
        <>
          {method.kind === 'webauthn' ? (
            <KeyQuestion key={method.id} factorId={method.id} onVerified={onVerified} />
          ) : (
            <CodeQuestion key={method.id} method={method} onVerified={onVerified} />
          )}
          {methods.length > 1 && (
            <div className="grid gap-1 border-t pt-4">
              <p className="text-sm text-muted-foreground">Oppure usa</p>
              {methods
                .filter(({ id }) => id !== chosen)
                .map(({ id, label }) => (
                  <Button key={id} variant="ghost" className="-ml-4 justify-start" onClick={() => setChosen(id)}>
                    {label}
                  </Button>
                ))}
            </div>
          )}
        </>
      )}
    </AuthScreen>
  )
}

function CodeQuestion({ method, onVerified }: { method: Method; onVerified: () => void }) {
  const isRecovery = method.kind === 'recovery_code'
  const form = useForm<SecondFactorValues>({
    resolver: zodResolver(isRecovery ? recoveryCodeSchema : totpSchema),
    defaultValues: { code: '' },
  })

  async function onSubmit({ code }: SecondFactorValues): Promise<void> {
    try {
      await (isRecovery ? verifyRecoveryCode(code) : verifyCode({ factorId: method.id, code }))
      onVerified()
    } catch (thrown) {
      form.setError('code', { message: authErrorMessage(asAuthFailure(thrown), 'Errore durante la verifica') })
    }
  }

  return (
    <AuthForm form={form} onSubmit={onSubmit} submit="Continua">
      {isRecovery ? (
        <TextField
          name="code"
          label="Codice di recupero"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          className="tabular"
        />
      ) : (
        <CodeField name="code" />
      )}
    </AuthForm>
  )
}

function KeyQuestion({ factorId, onVerified }: { factorId: string; onVerified: () => void }) {
  const ask = useMutation({
    mutationFn: () => verifySecurityKey(factorId),
    onSuccess: onVerified,
    onError: (error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante la verifica')),
  })
  return (
    <Button size="lg" disabled={ask.isPending} onClick={() => ask.mutate()}>
      {ask.isPending && <Spinner aria-hidden />}
      Usa la chiave di sicurezza
    </Button>
  )
}
