/** The browsers in which a person is notified, and this one among them. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import type { Tables } from '@/data/tables'
import {
  currentSubscription,
  isFor,
  type PushSupport,
  pushSupport,
  subscribe,
  unsubscribe,
  wishDevice,
  wishedDevice,
} from '@/lib/push'
import { supabase } from '@/lib/supabase'

export type PushDevice = Pick<Tables<'push_subscriptions'>, 'id' | 'endpoint' | 'created_at'>

/** What this browser does. */
export type ThisDevice = Exclude<PushSupport, 'supported'> | 'denied' | 'off' | 'on'

export type PushDevices = { devices: PushDevice[]; here: ThisDevice; hereId: string | null }

const pushKey = (userId: string) => ['push_devices', userId] as const

export function pushDevicesQuery(userId: string) {
  return queryOptions({
    queryKey: pushKey(userId),
    queryFn: async (): Promise<PushDevices> => {
      const devices = await storedDevices()
      const wished = wishedDevice(userId)
      const hereId = devices.some(({ id }) => id === wished) ? wished : null
      return { devices, here: await thisDevice(hereId !== null), hereId }
    },
  })
}

async function storedDevices(): Promise<PushDevice[]> {
  const rows = supabase.from('push_subscriptions').select('id, endpoint, created_at')
  return unwrap(await rows.order('created_at', { ascending: false }).limit(10))
}

async function thisDevice(isStored: boolean): Promise<ThisDevice> {
  const support = pushSupport()
  if (support !== 'supported') return support
  if (Notification.permission === 'denied') return 'denied'
  const isOn = isStored && Notification.permission === 'granted' && (await currentSubscription()) !== null
  return isOn ? 'on' : 'off'
}

async function subscribeHere(userId: string, key: string): Promise<void> {
  const { id } = await invoke<{ id: string }>('push_devices', (await subscribe(key)).toJSON())
  wishDevice(userId, id)
}

const serverKey = async (): Promise<string> => (await read<{ key: string }>('push_devices')).key

/** Asks for the permission first: browsers grant that only right behind a press. What was refused is no error. */
async function turnOn(userId: string): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') await subscribeHere(userId, await serverKey())
}

async function removeDevice(id: string): Promise<void> {
  unwrap(await supabase.from('push_subscriptions').delete().eq('id', id))
}

async function turnOff(userId: string): Promise<void> {
  const id = wishedDevice(userId)
  if (id) await removeDevice(id)
  await unsubscribe(userId)
}

function usePushMutation<V>(userId: string, run: (variables: V) => Promise<void>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: pushKey(userId) }),
  })
}

export const useSwitchPush = (userId: string) =>
  usePushMutation(userId, (isOn: boolean) => (isOn ? turnOn(userId) : turnOff(userId)))

export const useRemoveDevice = (userId: string) =>
  usePushMutation(userId, (id: string) => (id === wishedDevice(userId) ? turnOff(userId) : removeDevice(id)))

/**
 * Makes this browser what its person wants, at each visit: a subscription that was lost, or is for another key of the
 * server, is made anew; one that belongs to somebody else, or was removed from another device, is ended.
 */
export async function keepPush(userId: string): Promise<void> {
  if (pushSupport() !== 'supported') return
  const wished = wishedDevice(userId)
  const subscription = await currentSubscription()
  if (wished === null) {
    await subscription?.unsubscribe()
    return
  }
  if (Notification.permission !== 'granted') return
  const isStored = (await storedDevices()).some(({ id }) => id === wished)
  if (subscription && !isStored) {
    await unsubscribe(userId)
    return
  }
  const key = await serverKey()
  if (subscription && isFor(subscription, key)) return
  await removeDevice(wished)
  await subscribeHere(userId, key)
}

// Nobody waits longer for a logout.
const PATIENCE_MS = 3_000

/** Ends the notices of whoever logs out here, while the server still knows them. */
export async function leavePush(userId: string): Promise<void> {
  const id = wishedDevice(userId)
  await unsubscribe(userId)
  if (id === null) return
  // Where the server does not answer, its next message is refused by the push service, and it deletes the row then.
  await supabase.from('push_subscriptions').delete().eq('id', id).abortSignal(AbortSignal.timeout(PATIENCE_MS))
}

/** Ends the notices of a person elsewhere too: a phone that was lost shows no more. */
export async function leavePushElsewhere(userId: string): Promise<void> {
  const rows = supabase.from('push_subscriptions').delete().eq('user_id', userId)
  const here = wishedDevice(userId)
  unwrap(await (here ? rows.neq('id', here) : rows))
}
