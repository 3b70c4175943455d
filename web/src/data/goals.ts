/** Goals of agents: their steps, mandates and switches, the rehearsal, and the ethical log. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, read } from '@/data/functions'
import { goalsKey } from '@/data/goals-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums, Tables } from '@/data/tables'
import type { WhatsappPrice } from '@/data/whatsapp-campaigns'
import { supabase } from '@/lib/supabase'

export type Goal = Tables<'goals'>
export type Mandate = Tables<'agent_mandates'>
export type LogEntry = Tables<'ethical_logs'>
export type Autonomy = Enums<'goal_autonomy'>
type Line = { label: string; cents: number; has_attachment?: boolean }
export type ReminderChannel = 'email' | 'whatsapp' | 'pec'
type Preview = {
  title: string
  subject: string
  body: string
  cents: number
  tone: number
  lines: Line[]
  /** Of a reminder; anything else goes by mail. */
  channel?: ReminderChannel
  /** Why it is not the channel of the mandate. */
  note?: string
  /** Of a reminder by WhatsApp: what Meta asks for it. */
  price?: WhatsappPrice
  /** The provider of AI that wrote it. */
  by?: string
  /** Why the assistant did not write it. */
  unwritten?: string
}
/** With what an approval is bound to. */
export type GoalStep = Omit<Tables<'goal_steps'>, 'preview' | 'rules'> & {
  hash: string
  preview: Preview
  rules: { id: string; reason: string }[]
}
export type Rehearsal = {
  sent: number
  /** How many of each step of the plan. */
  steps: Partial<Record<string, number>>
  clients: number
  already_paid: number
  blocked: number
  letters: {
    day: string
    client: string | null
    title: string
    cents: number
    tone: number
    subject: string
    channel: ReminderChannel
    note: string | null
    was_paid: boolean
  }[]
  reasons: string[]
}
/** What of a mandate, given or being written, changes the plan. */
export type Terms = Pick<
  Limits,
  'autonomy' | 'lastTone' | 'usesWhatsapp' | 'usesPec' | 'letterCredits' | 'letterBudget' | 'skippedSteps'
>
/** functions/_shared/goals/plans.py. */
export type PlannedStep = {
  key: string
  tool: string
  tone: number
  days: number | null
  is_optional: boolean
  is_left_out: boolean
  channel: ReminderChannel | null
  asks: boolean
  undo: { s?: number; days?: number } | null
  max_credits: number
}
export type Plan = {
  steps: PlannedStep[]
  max_credits: number
  plans_at: string
  mail_hours: [string, string]
  closing_days: number
  most_a_day: number | null
  most_approvals_a_day: number
  most_messages_a_week: number
}
export type LogProof = { entries: number; is_whole: boolean; broken_at: number | null; anchors: { day: string }[] }

type AgentWeek = Record<
  | 'sent'
  | 'sent_cents'
  | 'sent_by_whatsapp'
  | 'sent_by_pec'
  | 'tidied'
  | 'letters'
  | 'credits'
  | 'refused'
  | 'blocked'
  | 'unneeded'
  | 'cashed_cents',
  number
> & {
  rules: { id: string; times: number }[]
}

/** In the order of the screen; functions/_shared/goals/agents.py says what each does. */
export const AGENTS = ['recupero_crediti', 'segui_preventivi', 'pulizia_contatti', 'chiusura_mese'] as const
export type Agent = (typeof AGENTS)[number]

export const isAgent = (name: unknown): name is Agent => (AGENTS as readonly unknown[]).includes(name)

/** Neither ended nor given up. */
export const isOpen = ({ completed_at: endedAt }: Goal): boolean => endedAt === null

/** Whether it waits for its first mandate: what it would do is its plan. */
export const isPlanned = ({ state }: Goal): boolean =>
  state === 'bozza' || state === 'pianificato' || state === 'in_approvazione'

const LATEST = 50
const LOG_LATEST = 200

/** The latest first. */
export function goalsQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'goals'],
    queryFn: async (): Promise<Goal[]> => {
      await currentUser()
      return unwrap(await supabase.from('goals').select('*').order('created_at', { ascending: false }).limit(20))
    },
  })
}

/** The latest steps of all goals. */
export function goalStepsQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'steps'],
    queryFn: async (): Promise<GoalStep[]> => {
      await currentUser()
      const rows = unwrap(
        await supabase.from('goal_steps').select('*,hash').order('created_at', { ascending: false }).limit(LATEST),
      )
      return rows as unknown as GoalStep[]
    },
  })
}

/** The mandates in force. */
export function mandatesQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'mandates'],
    queryFn: async (): Promise<Mandate[]> => {
      await currentUser()
      return unwrap(await supabase.from('agent_mandates').select('*').is('revoked_at', null).limit(LATEST))
    },
  })
}

/** Whether the person, or we, have stopped all agents. */
export function stoppedQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'stopped'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('agents_stopped')) as { mine: boolean; all: boolean }
    },
  })
}

/** The accounts named on the person's issued invoices. */
export function ownIbansQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'ibans'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('own_ibans'))
    },
  })
}

/** What an agent would have done in the past 90 days. */
export function rehearsalQuery(userId: string, agent: Agent) {
  return queryOptions({
    queryKey: ['rehearsal', userId, agent],
    queryFn: () => invoke<Rehearsal>('goal_dry_run', { agent }),
    staleTime: 60_000,
    retry: false,
  })
}

/** What an agent would do under a mandate. */
export function planQuery(userId: string, agent: Agent, terms: Terms) {
  return queryOptions({
    queryKey: ['plan', userId, agent, terms],
    queryFn: () =>
      invoke<Plan>('goal_plan', {
        agent,
        autonomy: terms.autonomy,
        last_tone: terms.lastTone,
        uses_whatsapp: terms.usesWhatsapp,
        uses_pec: terms.usesPec,
        letter_credits: terms.letterCredits,
        letter_budget: terms.letterBudget,
        skipped_steps: terms.skippedSteps,
      }),
    staleTime: 60_000,
    retry: false,
  })
}

export function ethicalLogQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'log'],
    queryFn: async (): Promise<LogEntry[]> => {
      await currentUser()
      return unwrap(
        await supabase.from('ethical_logs').select('*').order('seq', { ascending: false }).limit(LOG_LATEST),
      )
    },
  })
}

/** The last seven days of all agents. */
export function agentWeekQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'week'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('agent_week')) as AgentWeek
    },
  })
}

/** The chain computed again, and the signatures of its anchors. */
export function logProofQuery(userId: string) {
  return queryOptions({
    queryKey: [...goalsKey(userId), 'proof'],
    queryFn: () => read<LogProof>('ethical_log'),
  })
}

function useGoalChange<V, R>(userId: string, mutationFn: (value: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: goalsKey(userId) }) })
}

export type Limits = {
  action: 'mail' | 'archivio'
  autonomy: Autonomy
  maxCents: number
  maxRecipientsDay: number
  lastTone: number
  ibans: string[]
  claimsInterest: boolean
  usesWhatsapp: boolean
  usesPec: boolean
  /** The price of a letter in the assistant's words; null: templates. */
  letterCredits: number | null
  letterBudget: number | null
  letterStyle: string | null
  /** Steps of the plan that are left out, by their keys. */
  skippedSteps: readonly string[]
}

/** Gives an agent its mandate, in the place of the one before, and starts its goal. @throws DataError */
export function useGiveMandate(userId: string, agent: Agent, title: string) {
  return useGoalChange(userId, async (limits: Limits) => {
    unwrap(
      await supabase.rpc('give_mandate', {
        _agent: agent,
        _action: limits.action,
        _autonomy: limits.autonomy,
        _max_cents: limits.maxCents,
        _max_recipients_day: limits.maxRecipientsDay,
        _last_tone: limits.lastTone,
        _ibans: limits.ibans,
        _claims_interest: limits.claimsInterest,
        _uses_whatsapp: limits.usesWhatsapp,
        _uses_pec: limits.usesPec,
        _skipped_steps: [...limits.skippedSteps],
        ...(limits.letterCredits !== null &&
          limits.letterBudget !== null && {
            _letter_credits: limits.letterCredits,
            _letter_budget: limits.letterBudget,
            ...(limits.letterStyle && { _letter_style: limits.letterStyle }),
          }),
      }),
    )
    return unwrap(await supabase.rpc('start_goal', { _agent: agent, _title: title }))
  })
}

/** Creates the goal of an agent, which waits for its mandate; a second tap changes nothing. @throws DataError */
export function usePlanGoal(userId: string) {
  return useGoalChange(userId, async ({ agent, title }: { agent: Agent; title: string }) =>
    unwrap(await supabase.rpc('plan_goal', { _agent: agent, _title: title })),
  )
}

export function useRevokeMandate(userId: string) {
  return useGoalChange(userId, async (id: string) => unwrap(await supabase.rpc('revoke_mandate', { _id: id })))
}

export function useMoveGoal(userId: string) {
  return useGoalChange(userId, async ({ id, state }: { id: string; state: Enums<'goal_state'> }) =>
    unwrap(await supabase.rpc('move_goal', { _id: id, _state: state })),
  )
}

/** Gives a goal as many credits again as its mandate says; `budget` is the cap that was shown, so that a second tap changes nothing. */
export function useContinueGoal(userId: string) {
  return useGoalChange(userId, async ({ id, budget }: { id: string; budget: number }) =>
    unwrap(await supabase.rpc('continue_goal', { _id: id, _budget: budget })),
  )
}

export function useStopAgents(userId: string) {
  return useGoalChange(userId, async (isStopped: boolean) =>
    unwrap(await supabase.rpc('stop_agents', { _is_stopped: isStopped })),
  )
}

/** Writes the message of a proposal anew, which then is what is approved. @throws DataError SG003 */
export function useEditStep(userId: string) {
  return useGoalChange(userId, async ({ id, subject, body }: { id: string; subject: string; body: string }) =>
    unwrap(await supabase.rpc('edit_goal_step', { _id: id, _subject: subject, _body: body })),
  )
}

/** Approves or refuses proposals as they were shown. @throws DataError SG002 when one is not what was shown any more */
export function useDecideSteps(userId: string) {
  return useGoalChange(userId, async ({ steps, isApproved }: { steps: GoalStep[]; isApproved: boolean }) =>
    unwrap(
      await supabase.rpc('decide_goal_steps', {
        _ids: steps.map(({ id }) => id),
        _hashes: steps.map(({ hash }) => hash),
        _is_approved: isApproved,
      }),
    ),
  )
}
