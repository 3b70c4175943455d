/** Second factors of the signed-in person: authenticator apps, security keys, phones. */
import type { Factor } from '@supabase/supabase-js'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { accepted } from '@/data/gotrue'
import { renewSession } from '@/data/session'
import { supabase } from '@/lib/supabase'

const KEY = ['factors'] as const

/** The verified factors that can be asked for by themselves, and whether recovery codes stand in for them. */
type Factors = { usable: Factor[]; hasRecoveryCodes: boolean }

const isCodes = (factor: Factor): boolean => factor.factor_type === 'recovery_code'

async function fetchFactors(): Promise<Factors> {
  const { all } = accepted(await supabase.auth.mfa.listFactors())
  return {
    usable: all.filter((factor) => factor.status === 'verified' && !isCodes(factor)),
    hasRecoveryCodes: all.some(isCodes),
  }
}

export function factorsQuery(userId: string) {
  return queryOptions({ queryKey: [...KEY, userId], queryFn: fetchFactors })
}

export type TotpEnrolment = { id: string; qrCode: string; secret: string }

/** An enrolment that was given up keeps its name for minutes: without this the next one would be refused. */
async function forgetUnfinished(): Promise<void> {
  const { all } = accepted(await supabase.auth.mfa.listFactors())
  const unfinished = all.filter((factor) => factor.status === 'unverified')
  await Promise.all(unfinished.map(async ({ id }) => accepted(await supabase.auth.mfa.unenroll({ factorId: id }))))
}

async function beginTotp(friendlyName: string): Promise<TotpEnrolment> {
  await forgetUnfinished()
  const enrolment = { factorType: 'totp', friendlyName, issuer: 'Socio' } as const
  const { id, totp } = accepted(await supabase.auth.mfa.enroll(enrolment))
  return { id, qrCode: totp.qr_code, secret: totp.secret }
}

/**
 * A new factor, which counts once its first code has been confirmed.
 *
 * A query although it writes: the dialog shows it like anything that has to arrive. It is never asked for twice, and
 * gone with the dialog.
 */
export function totpEnrolmentQuery(friendlyName: string) {
  return queryOptions({
    queryKey: ['totp-enrolment', friendlyName],
    queryFn: () => beginTotp(friendlyName),
    staleTime: Infinity,
    gcTime: 0,
  })
}

type Proof = { factorId: string; code: string }

/** Proves a factor by its six digits; from then on the session is aal2. */
export async function verifyCode({ factorId, code }: Proof): Promise<void> {
  accepted(await supabase.auth.mfa.challengeAndVerify({ factorId, code }))
}

/** The same with the key that the browser asks for. */
export async function verifySecurityKey(factorId: string): Promise<void> {
  accepted(await supabase.auth.mfa.webauthn.authenticate({ factorId }))
}

async function addSecurityKey(friendlyName: string): Promise<void> {
  await forgetUnfinished()
  accepted(await supabase.auth.mfa.webauthn.register({ friendlyName }))
}

/** Recovery codes may not outlive the last factor they stand in for: they go with it. */
async function removeFactor({ id, withCodes }: { id: string; withCodes: boolean }): Promise<void> {
  if (withCodes) accepted(await supabase.auth.mfa.recoveryCodes.unenroll())
  accepted(await supabase.auth.mfa.unenroll({ factorId: id }))
  await renewSession()
}

function useFactorMutation<V>(run: (variables: V) => Promise<void>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSettled: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: KEY }),
        client.invalidateQueries({ queryKey: ['recovery-codes'] }),
        client.invalidateQueries({ queryKey: ['auth-sessions'] }),
      ])
    },
  })
}

export const useConfirmTotp = () => useFactorMutation(verifyCode)
export const useAddSecurityKey = () => useFactorMutation(addSecurityKey)
export const useRemoveFactor = () => useFactorMutation(removeFactor)
