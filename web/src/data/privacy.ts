/** What the person may ask about their own data, and who of Socio touched their account. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { chatSettingsQuery } from '@/data/chat-settings'
import type { Database } from '@/data/database.gen'
import { read } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { profileQuery } from '@/data/profiles'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const SHOWN = 50

/** Limits the processing of the person's data (GDPR, art. 18), or ends that; the profile row says since when. */
export function useLimitProcessing(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (isLimited: boolean) => {
      await currentUser()
      unwrap(await supabase.rpc('limit_processing', { _is_limited: isLimited }))
    },
    onSettled: () => client.invalidateQueries({ queryKey: profileQuery(userId).queryKey }),
  })
}

export type AdminAction = { id: number; action: string; reason: string; created_at: string }

/** The newest things that admins did about this account. */
export function adminActionsQuery(userId: string) {
  return queryOptions({
    queryKey: ['admin_actions', userId],
    queryFn: async (): Promise<AdminAction[]> => {
      await currentUser()
      return unwrap(
        await supabase
          .from('admin_actions')
          .select('id, action, reason, created_at')
          .eq('subject_id', userId)
          .order('created_at', { ascending: false })
          .limit(SHOWN),
      )
    },
  })
}

/** How much is held of the person, in counts (functions/personal_figures.py). */
export type PersonalFigures = {
  domains: {
    domain: string
    /** The legal basis. */
    basis: string
    tables: { label: string; count: number }[]
    rules: { title: string; period: string }[]
  }[]
  files: { count: number; bytes: number }
  /** Why other tables are no part of it. */
  left_out: string[]
}

export function personalFiguresQuery(userId: string) {
  return queryOptions({
    queryKey: ['personal_figures', userId],
    queryFn: async () => {
      await currentUser()
      return read<PersonalFigures>('personal_figures')
    },
  })
}

type Functions = Database['public']['Functions']
type Nullable<Row, Key extends keyof Row> = Omit<Row, Key> & { [Name in Key]: Row[Name] | null }

/** Something that the person agreed to or refused; `provider` and what follows only where it was about one. */
export type Consent = Nullable<
  Functions['consent_timeline']['Returns'][number],
  'wording' | 'provider' | 'host' | 'in_eu'
>

const consentsKey = (userId: string) => ['consent_timeline', userId] as const

export function consentTimelineQuery(userId: string) {
  return queryOptions({
    queryKey: consentsKey(userId),
    queryFn: async (): Promise<Consent[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('consent_timeline'))
    },
  })
}

export type PrivacyChoice = {
  purpose: Database['public']['Enums']['privacy_purpose']
  is_allowed: boolean
  /** The sentence beside the switch. */
  wording: string
}

/** Writes down what the person allows or refuses; the server acts on it. */
export function useChoosePrivacy(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (choice: PrivacyChoice) => {
      await currentUser()
      unwrap(await supabase.from('privacy_choices').insert(choice))
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: consentsKey(userId) }),
        client.invalidateQueries({ queryKey: chatSettingsQuery(userId).queryKey }),
      ]),
  })
}

/** Answers of a month by who gave them; without a provider in local mode, and where it was not noted. */
export type AiUsage = Nullable<
  Functions['ai_usage_by_month']['Returns'][number],
  'provider' | 'host' | 'model' | 'tokens_in' | 'tokens_out'
>

export function aiUsageQuery(userId: string) {
  return queryOptions({
    queryKey: ['ai_usage', userId],
    queryFn: async (): Promise<AiUsage[]> => {
      await currentUser()
      return unwrap(await supabase.rpc('ai_usage_by_month'))
    },
  })
}
