/** Ten codes for the day the second factor is lost. The server keeps hashes: their text is seen once. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { accepted } from '@/data/gotrue'
import { supabase } from '@/lib/supabase'

const KEY = ['recovery-codes'] as const

type RecoveryCodesStatus = { total: number; remaining: number }

async function fetchStatus(): Promise<RecoveryCodesStatus> {
  return accepted(await supabase.auth.mfa.recoveryCodes.getStatus())
}

/** To be asked only of somebody who has some; the factors say so. */
export function recoveryCodesQuery(userId: string) {
  return queryOptions({ queryKey: [...KEY, userId], queryFn: fetchStatus })
}

/** New codes; those of an earlier set stop working at once. */
async function makeCodes({ replace }: { replace: boolean }): Promise<string[]> {
  const { recoveryCodes } = supabase.auth.mfa
  return accepted(await (replace ? recoveryCodes.regenerate() : recoveryCodes.generate())).codes
}

export function useMakeRecoveryCodes() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: makeCodes,
    onSettled: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: KEY }),
        client.invalidateQueries({ queryKey: ['factors'] }),
      ])
    },
  })
}

/** Gets in with one of the codes, which is used up; from then on the session is aal2. */
export async function verifyRecoveryCode(code: string): Promise<void> {
  accepted(await supabase.auth.mfa.recoveryCodes.verify({ code }))
}
