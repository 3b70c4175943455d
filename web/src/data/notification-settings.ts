/** What a person wants to be told, on which channels, and when. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type NotificationCategory = Enums<'notification_category'>
export type NotificationChannel = Enums<'notification_channel'>
export type NotificationSettings = Omit<Tables<'notification_settings'>, 'user_id' | 'briefed_on'>

type Switches = Record<NotificationChannel, boolean>

export type NotificationChoices = {
  settings: NotificationSettings
  channels: Record<Exclude<NotificationCategory, 'amministrazione'>, Switches> & {
    /** Of admins only. */
    amministrazione?: Switches
  }
}

/** A kind of the registry, by the name that people see. */
type NotificationKind = {
  kind: string
  label: string
  category: NotificationCategory
  /** What can be done about one where it is shown. */
  action: 'segna_pagata' | 'rimanda' | 'approva' | null
}

const choicesKey = (userId: string) => ['notification_choices', userId] as const

export function notificationChoicesQuery(userId: string) {
  return queryOptions({
    queryKey: choicesKey(userId),
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('notification_choices')) as NotificationChoices
    },
  })
}

export const notificationKindsQuery = queryOptions({
  queryKey: ['notification_kinds'],
  queryFn: async () => {
    await currentUser()
    // Of a view every column may be null; these never are.
    const kinds = await supabase.from('notification_kinds').select('kind, label, category, action')
    return unwrap(kinds) as NotificationKind[]
  },
  staleTime: Infinity,
})

/** A change that shows at once and is taken back when the server refuses. */
function useChoice<V>(
  userId: string,
  run: (value: V) => Promise<void>,
  change: (choices: NotificationChoices, value: V) => NotificationChoices,
  onError: () => void,
) {
  const client = useQueryClient()
  const queryKey = choicesKey(userId)
  return useMutation({
    // One after the other: the last one counts.
    scope: { id: 'notification-choices' },
    mutationFn: run,
    onMutate: async (value) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData<NotificationChoices>(queryKey)
      client.setQueryData<NotificationChoices>(queryKey, (choices) => choices && change(choices, value))
      return before
    },
    onError: (_error, _value, before) => {
      client.setQueryData(queryKey, before)
      onError()
    },
  })
}

type Switch = { category: NotificationCategory; channel: NotificationChannel; isEnabled: boolean }

export function useSwitchChannel(userId: string, onError: () => void) {
  return useChoice<Switch>(
    userId,
    async ({ category, channel, isEnabled }) => {
      unwrap(
        await supabase.from('notification_prefs').upsert({ user_id: userId, category, channel, is_enabled: isEnabled }),
      )
    },
    (choices, { category, channel, isEnabled }) => ({
      ...choices,
      channels: {
        ...choices.channels,
        [category]: { ...(choices.channels[category] as Switches), [channel]: isEnabled },
      },
    }),
    onError,
  )
}

export function useSaveNotificationSettings(userId: string, onError: () => void) {
  return useChoice<Partial<NotificationSettings>>(
    userId,
    async (change) => {
      unwrap(await supabase.from('notification_settings').upsert({ user_id: userId, ...change }))
    },
    (choices, change) => ({ ...choices, settings: { ...choices.settings, ...change } }),
    onError,
  )
}
