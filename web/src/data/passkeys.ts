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

async function addPasskey(friendlyName: string): Promise<void> {
  const { id } = accepted(await supabase.auth.registerPasskey())
  accepted(await supabase.auth.passkey.update({ passkeyId: id, friendlyName }))
}

async function renamePasskey({ id, friendlyName }: { id: string; friendlyName: string }): Promise<void> {
  accepted(await supabase.auth.passkey.update({ passkeyId: id, friendlyName }))
}

async function removePasskey(id: string): Promise<void> {
  accepted(await supabase.auth.passkey.delete({ passkeyId: id }))
}

function usePasskeyMutation<V>(run: (variables: V) => Promise<void>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: run, onSettled: () => client.invalidateQueries({ queryKey: KEY }) })
}

export const useAddPasskey = () => usePasskeyMutation(addPasskey)
export const useRenamePasskey = () => usePasskeyMutation(renamePasskey)
export const useRemovePasskey = () => usePasskeyMutation(removePasskey)
