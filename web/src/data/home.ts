/** The home screen: one row set that the database keeps ready, and what a person makes of its insights. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { homeKey } from '@/data/home-key'
import { pollingInterval, unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Database } from '@/data/database.gen'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

/** What one card says, and what its button needs. */
export type Insight = {
  id: string
  kind: string
  /** How the kind is called: «Fatture scadute». */
  label: string
  action: string
  entity_type: string
  entity_id: string | null
  contact_id: string | null
  title: string
  body: string
  amount_cents: number | null
  currency: string
  data: InsightData
}

type InsightData = {
  document_id?: string
  task_id?: string
  number?: string
  counterparty?: string
  deal?: string
  filename?: string
  issued_on?: string
  due_on?: string
  late_days?: number
}

/** What is open in one direction, in euros; `others` are sums by other currencies. */
type MoneySide = {
  open_cents: number
  late_cents: number
  soon_cents: number
  undated_cents: number
  invoices: number
  late: number
  soon: number
  undated: number
  others: Record<string, number>
}

export type HomeMonth = { month: string; paid_cents: number; open_cents: number; late_cents: number }
type HomeWeek = { week: string; in_cents: number; out_cents: number }
export type Forecast = { weeks: HomeWeek[]; late_cents: number; undated_cents: number; later_cents: number }
type HomeDeals = {
  count: number
  cents: number
  weighted_cents: number
  others: Record<string, number>
  stages: { id: string; name: string; count: number; cents: number }[]
}
export type HomeTask = { id: string; title: string; due_at: string; is_allday: boolean; contact: string | null }
type HomeWork = { today: number; late: number; tasks: HomeTask[]; people: number; names: string[] }
export type Activity = {
  id: string
  kind: string
  at: string
  title: string
  body: string | null
  ref_type: string
  ref_id: string
  contact_id: string | null
  contact: string | null
}
export type BriefingLine = { section: 'agenda' | 'soldi' | 'persone' | 'rischi'; text: string }
export type HomeMail = {
  count: number
  threads: { id: string; subject: string; party: string | null; last_at: string; has_warnings: boolean }[]
}
/** Papers that no sum counts. */
type Waiting = { count: number; issued: number; issued_cents: number; received: number; received_cents: number }

/** The regime forfettario this year; see data/flat-rate. */
export type FlatRate = {
  year: number
  cash_cents: number
  /** Paid invoices in other currencies, which no sum counts. */
  other_currencies: number
  threshold_cents: number | null
  exit_cents: number | null
  over_threshold_on: string | null
  over_exit_on: string | null
  projected_cents: number | null
  reaches_threshold_on: string | null
  figures: Record<string, { value: number; since: string; source: string }>
  choices: FlatRateChoices | null
  set_aside: SetAside | null
}
export type FlatRateChoices = {
  activity: string
  is_startup: boolean
  contributions: Enums<'contribution_kind'>
  fixed_cents: number | null
}
export type SetAside = { income_cents: number; contribution_cents: number; tax_cents: number; cents: number }

export type Home = {
  day: string
  to_cash: MoneySide
  to_pay: MoneySide
  months: HomeMonth[]
  forecast: Forecast
  work: HomeWork
  deals: HomeDeals
  activity: Activity[]
  /** Conversations that wait; absent from a page that was stored before there was mail. */
  mail?: HomeMail
  waiting: Waiting | null
  briefing: BriefingLine[]
  insights: Insight[]
  balance: number
  has_invoices: boolean
  has_contacts: boolean
  /** Of who has that regime; absent from a page that was stored before there was one. */
  flat_rate?: FlatRate | null
}

export function homeQuery(userId: string) {
  return queryOptions({
    queryKey: [...homeKey(userId), 'overview'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('home_overview')) as unknown as Home
    },
    // The database knows whether something has changed; what was asked for as the app started is new enough.
    staleTime: 3_000,
    refetchInterval: pollingInterval,
  })
}

type Answer = { id: string; state: Enums<'insight_state'>; until?: string; reason?: string }

function without(client: QueryClient, userId: string, isGone: (insight: Insight) => boolean): void {
  client.setQueryData(
    homeQuery(userId).queryKey,
    (home) => home && { ...home, insights: home.insights.filter((insight) => !isGone(insight)) },
  )
}

/** Acts on an insight, puts it off, refuses it, or takes that back (`nuova`): gone at once, back if it fails. */
export function useAnswerInsight(userId: string, onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    // One after the other: «Annulla» never overtakes what it takes back.
    scope: { id: 'insights' },
    mutationFn: async ({ id, state, until, reason }: Answer) =>
      unwrap(
        await supabase.rpc('answer_insight', {
          _insight_id: id,
          _state: state,
          ...(until && { _until: until }),
          ...(reason && { _reason: reason }),
        }),
      ),
    onMutate: ({ id, state }) => state !== 'nuova' && without(client, userId, (insight) => insight.id === id),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: homeKey(userId) }),
  })
}

/** Shows a kind of insights, or not any more. */
export function useSwitchInsights(userId: string, onError: () => void) {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'insights' },
    mutationFn: async ({ kind, isEnabled }: { kind: string; isEnabled: boolean }) =>
      unwrap(await supabase.rpc('switch_insights', { _kind: kind, _is_enabled: isEnabled })),
    onMutate: ({ kind, isEnabled }) => !isEnabled && without(client, userId, (insight) => insight.kind === kind),
    onError,
    onSettled: () => client.invalidateQueries({ queryKey: homeKey(userId) }),
  })
}

export type InsightKind = { kind: string; label: string; isEnabled: boolean }

type Kinds = Database['public']['Views']['insight_kinds']['Row']

/** Every kind of insights, and whether the person wants to see it. */
export function insightKindsQuery(userId: string) {
  return queryOptions({
    queryKey: [...homeKey(userId), 'kinds'],
    queryFn: async (): Promise<InsightKind[]> => {
      await currentUser()
      const [kinds, prefs] = await Promise.all([
        supabase.from('insight_kinds').select('kind, label').order('label'),
        supabase.from('insight_prefs').select('kind').eq('is_enabled', false),
      ])
      const off = new Set(unwrap(prefs).map(({ kind }) => kind))
      return (unwrap(kinds) as { [K in 'kind' | 'label']: NonNullable<Kinds[K]> }[]).map(({ kind, label }) => ({
        kind,
        label,
        isEnabled: !off.has(kind),
      }))
    },
  })
}
