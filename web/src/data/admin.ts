/** The reports for admins: figures that a job measured, and the actions that the log keeps. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { refreshCatalog } from '@/data/catalog'
import { invoke } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { type IncidentState, type Part, readServiceStatus } from '@/data/service-status'
import { release } from '@/lib/release'
import { supabase } from '@/lib/supabase'

export type Light = 'ok' | 'warning' | 'error' | 'old'
type Figures = Record<string, number>
export type ReportRow = Record<string, string | number | boolean | null>
export type ReportName =
  | 'database'
  | 'queue'
  | 'payments'
  | 'credits'
  | 'errors'
  | 'security'
  | 'backups'
  | 'isolation'
  | 'uptime'
  | 'disk'
  | 'client'
  | 'people'
  | 'analytics'
  | 'performance'
  | 'devices'

type Measured = { taken_at: string; light: Light; figures: Figures }
export type Report = Measured & {
  tables: Record<string, ReportRow[]>
  /** As it was when the period began; null when nothing was measured then. */
  before: Figures | null
  points: { at: string; figures: Figures }[]
}
/** What is wrong with a figure. */
export type Finding = {
  rule: string
  light: 'warning' | 'error'
  finding: string
  /** Null in the minute before the worker has seen it. */
  since: string | null
  taken_over_at: string | null
  taken_over_by: string | null
}
export type Overview = Partial<Record<ReportName, Measured & { findings: Finding[] }>>

// Much sooner than the job measures again.
const EVERY_MS = 60_000

export function overviewQuery() {
  return queryOptions({
    queryKey: ['admin', 'overview'],
    queryFn: async () => unwrap(await supabase.rpc('admin_overview')) as unknown as Overview,
    refetchInterval: EVERY_MS,
  })
}

/** Null: nothing was ever measured. */
export function reportQuery(name: ReportName, hours: number) {
  return queryOptions({
    queryKey: ['admin', 'report', name, hours],
    queryFn: async () =>
      unwrap(await supabase.rpc('admin_report', { _name: name, _hours: hours })) as unknown as Report | null,
    refetchInterval: EVERY_MS,
  })
}

export function paymentEventsQuery(onlyOpen: boolean) {
  return queryOptions({
    queryKey: ['admin', 'payment_events', onlyOpen],
    queryFn: async () => unwrap(await supabase.rpc('admin_payment_events', { _only_open: onlyOpen })),
    refetchInterval: EVERY_MS,
  })
}

/** Which groups of errors to list; those to be resolved by the next release count as resolved. */
export type ErrorState = 'open' | 'muted' | 'resolved'
export type ErrorDecision = ErrorState | 'next_release'

export function errorGroupsQuery(state: ErrorState, hours: number) {
  return queryOptions({
    queryKey: ['admin', 'errors', state, hours],
    queryFn: async () => unwrap(await supabase.rpc('admin_error_groups', { _state: state, _hours: hours })),
    refetchInterval: EVERY_MS,
  })
}

/** What the pages claim, by the catalogue that is in force. */
export function claimsQuery() {
  return queryOptions({
    queryKey: ['admin', 'claims'],
    queryFn: async () => {
      const { claims } = unwrap(await supabase.rpc('catalog')) as unknown as { claims: Record<string, ReportRow> }
      return Object.entries(claims).map(
        ([claim, { text = null, status = null, effective_key = null, source = null, surface = null }]): ReportRow => ({
          claim,
          text,
          status,
          effective_key,
          source,
          surface,
        }),
      )
    },
  })
}

/** What each part of the client that is served weighs, and may; empty where no build wrote it, as while developing. */
export function clientSizesQuery() {
  return queryOptions({
    queryKey: ['admin', 'client_sizes'],
    queryFn: async () => {
      const response = await fetch('/sizes.json')
      const isJson = response.headers.get('content-type')?.includes('json')
      return response.ok && isJson ? ((await response.json()) as { parts: ReportRow[] }).parts : []
    },
  })
}

/** The same that everybody sees at /status. */
export function serviceStatusQuery() {
  return queryOptions({
    queryKey: ['admin', 'status'],
    queryFn: readServiceStatus,
    refetchInterval: EVERY_MS,
  })
}

export type Journey = {
  at: string
  /** As far as it came; the error of a step that went well is empty. */
  steps: { step: 'login' | 'read' | 'write' | 'delete'; took_ms: number; error: string }[]
}

/** What one machine sees of the installation: the worker, or a second machine. */
export type Viewpoint = {
  viewpoint: 'worker' | 'watch'
  parts: Part[]
  /** Of a day, the newest last. */
  journeys: Journey[]
}

export function uptimeQuery() {
  return queryOptions({
    queryKey: ['admin', 'uptime'],
    queryFn: async () => unwrap(await supabase.rpc('admin_uptime')) as unknown as Viewpoint[],
    refetchInterval: EVERY_MS,
  })
}

/** What an admin does; every figure of the administration is read again. */
export function useAction<Input, Output>(act: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: act, onSettled: () => client.invalidateQueries({ queryKey: ['admin'] }) })
}

/** Says that this admin looks after an alarm: the others get no mail about it any more. */
export function useTakeOverAlarm() {
  return useAction(async ({ report, rule }: { report: ReportName; rule: string }) =>
    unwrap(await supabase.rpc('admin_take_over_alarm', { _report: report, _rule: rule })),
  )
}

/** Handles an event of the payment provider once more. */
export function useReplayEvent() {
  return useAction(async ({ id, reason }: { id: string; reason: string }) =>
    unwrap(await supabase.rpc('admin_replay_event', { _id: id, _reason: reason })),
  )
}

/** Gives back credits that are held past their time. */
export function useSweepHolds() {
  return useAction(async ({ reason }: { reason: string }) =>
    unwrap(await supabase.rpc('admin_sweep_holds', { _reason: reason })),
  )
}

/** An action that costs credits, by its code in the price list. */
export type ChargedAction = 'chat' | 'chat_deep' | 'advice' | 'voice_minute' | 'letter'
export type Guardrail = {
  /** Credits that one account may use in a day; null without a limit. */
  daily_cap: number | null
  /** Whether paid AI and agents are stopped for everybody, and since when. */
  ai_stopped: boolean
  stopped_at: string | null
  /** In credits. */
  prices: Record<ChargedAction, number>
}
/** What is named changes, the rest stays. */
export type GuardrailChange = Partial<
  Pick<Guardrail, 'daily_cap' | 'ai_stopped'> & { prices: Partial<Guardrail['prices']> }
>

export function guardrailQuery() {
  return queryOptions({
    queryKey: ['admin', 'guardrail'],
    queryFn: async () => unwrap(await supabase.rpc('admin_guardrail')) as unknown as Guardrail,
    refetchInterval: EVERY_MS,
  })
}

/** Changes the limits; the price list on this screen follows. */
export function useSetGuardrail() {
  return useAction(async ({ change, reason }: { change: GuardrailChange; reason: string }) => {
    unwrap(await supabase.rpc('admin_set_guardrail', { _change: change, _reason: reason }))
    await refreshCatalog()
  })
}

/** What models cost, in euros for a million tokens or a minute of sound; the newest rate of each model first. */
export function aiRatesQuery() {
  return queryOptions({
    queryKey: ['admin', 'ai_rates'],
    queryFn: async () => unwrap(await supabase.rpc('admin_ai_rates')),
  })
}

type Rate = {
  host: string
  model: string
  since: string
  input: number | null
  output: number | null
  minute: number | null
  source: string
}

export function useSetAiRate() {
  return useAction(async ({ host, model, since, input, output, minute, source }: Rate) =>
    unwrap(
      await supabase.rpc('admin_set_ai_rate', {
        _host: host,
        _model: model,
        _valid_from: since,
        _source: source,
        ...(input !== null && { _input_euros: input }),
        ...(output !== null && { _output_euros: output }),
        ...(minute !== null && { _minute_euros: minute }),
      }),
    ),
  )
}

/** Has the newest backup restored and tested by a job. */
export function useRestoreTest() {
  return useAction(async ({ reason }: { reason: string }) => invoke('restore_test', { reason }))
}

/** A figure of the law: in euros or per cent, from a day on. */
export function lawFiguresQuery() {
  return queryOptions({
    queryKey: ['admin', 'law_figures'],
    queryFn: async () => unwrap(await supabase.rpc('admin_tax_parameters')),
  })
}

export function useSetLawFigure() {
  return useAction(
    async ({ name, since, value, source }: { name: string; since: string; value: number; source: string }) =>
      unwrap(
        await supabase.rpc('admin_set_tax_parameter', {
          _name: name,
          _valid_from: since,
          _value: value,
          _source: source,
        }),
      ),
  )
}

/** Opens, resolves or mutes a group of errors; `limit` is how many errors within an hour open a muted one. */
export function useDecideError() {
  return useAction(async (input: { id: number; decision: ErrorDecision; limit?: number; reason: string }) =>
    unwrap(
      await supabase.rpc('admin_decide_error', {
        _id: input.id,
        _decision: input.decision,
        _muted_until: input.limit as number,
        _release: release(),
        _reason: input.reason,
      }),
    ),
  )
}

/** Tells everybody about an incident; without an id a new one begins. */
export function useWriteIncident() {
  return useAction(
    async ({
      id,
      title,
      parts,
      state,
      text,
    }: {
      id?: number
      title?: string
      parts?: string[]
      state: IncidentState
      text: string
    }) =>
      unwrap(
        await supabase.rpc('admin_write_incident', {
          _state: state,
          _text: text,
          ...(id && { _id: id }),
          ...(title && { _title: title }),
          ...(parts && { _parts: parts }),
        }),
      ),
  )
}
