/** Passkeys: signing in with the fingerprint, face or PIN of a device instead of the password. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { accepted } from '@/data/gotrue'
import { supabase } from '@/lib/supabase'

const KEY = ['passkeys'] as const

export function passkeysQuery(userId: string) {
  return queryOptions({
    queryKey: [...KEY, userId],
    queryFn: async () => accepted(await supabase.auth.passkey.list()),
  })
}

/** Answers whether it has got its name: without one it opens the account just as well. */
async function addPasskey(friendlyName: string): Promise<boolean> {
  const { id } = accepted(await supabase.auth.registerPasskey())
  const { error } = await supabase.auth.passkey.update({ passkeyId: id, friendlyName })
  return error === null
}

async function renamePasskey({ id, friendlyName }: { id: string; friendlyName: string }): Promise<void> {
  accepted(await supabase.auth.passkey.update({ passkeyId: id, friendlyName }))
}

async function removePasskey(id: string): Promise<void> {
  accepted(await supabase.auth.passkey.delete({ passkeyId: id }))
}

function usePasskeyMutation<V, A>(run: (variables: V) => Promise<A>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => client.invalidateQueries({ queryKey: KEY }) })
}

export const useAddPasskey = () => usePasskeyMutation(addPasskey)
export const useRenamePasskey = () => usePasskeyMutation(renamePasskey)
export const useRemovePasskey = () => usePasskeyMutation(removePasskey)
