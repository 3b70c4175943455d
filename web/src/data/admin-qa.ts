/** Findings of automated runs on phones and in browsers, and the verdicts of admins. */
import { queryOptions } from '@tanstack/react-query'

import { useAction } from '@/data/admin'
import { invoke } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type QaKind = 'mobile' | 'browser'
export type QaState = 'passed' | 'failed' | 'skipped' | 'accepted'
export type QaCheck = 'opens' | 'overflow' | 'tap_target' | 'keyboard' | 'bottom_bar'

type QaItem = {
  id: number
  check: QaCheck
  outcome: Exclude<QaState, 'accepted'>
  note: string
  has_picture: boolean
}

/** A route at a width, or a route in a version of a browser. */
export type QaCell = {
  route: string
  place: string
  tested_at: string
  state: QaState
  /** Of the run, whatever an admin says. */
  outcome: Exclude<QaState, 'accepted'>
  failed: QaCheck[]
  items: QaItem[]
  verdict: { outcome: Exclude<QaState, 'skipped'>; note: string; until: string | null; given_at: string } | null
}

export type QaRun = {
  id: string
  source: string
  release: string | null
  commit: string | null
  browser: string
  browser_version: string
  started_at: string
  passed: number
  failed: number
  /** Of an admin who asked for it. */
  request_id: string | null
}

/** What became of the newest question for a run; a machine is named as soon as one took it. */
export type QaRequest = { id: string; asked_at: string } & (
  | { state: 'waiting' }
  | { state: 'running'; machine: string; taken_at: string }
  | { state: 'done'; machine: string; ended_at: string }
  | { state: 'failed'; machine: string; ended_at: string; failure: string }
  // No machine took it, or this one said nothing any more.
  | { state: 'expired'; machine: string | null; seen_at: string | null }
)

type Found = { request: QaRequest | null; runs: QaRun[]; cells: QaCell[] }

export const isOpen = (request: QaRequest | null) => request?.state === 'waiting' || request?.state === 'running'

// A machine looks each minute and says every half minute that it works.
const WATCH_MS = 5_000

export function qaQuery(kind: QaKind) {
  return queryOptions({
    queryKey: ['admin', 'qa', kind],
    queryFn: async () => unwrap(await supabase.rpc('admin_qa', { _kind: kind })) as unknown as Found,
    refetchInterval: ({ state: { data } }) => (data && isOpen(data.request) ? WATCH_MS : false),
  })
}

/** Asks test machines for a run; where one is asked for already, nothing changes. */
export function useAskQa() {
  return useAction(async (kind: QaKind) => unwrap(await supabase.rpc('admin_ask_qa', { _kind: kind })))
}

/** Cancels a request; the machine that has taken it stops. */
export function useCancelQa() {
  return useAction(async (id: string) => unwrap(await supabase.rpc('admin_cancel_qa', { _id: id })))
}

/** The picture of a failure as an address of data. */
export function qaPictureQuery(id: number) {
  return queryOptions({
    queryKey: ['admin', 'qa', 'picture', id],
    queryFn: async () => {
      const base64 = unwrap(await supabase.rpc('admin_qa_picture', { _item_id: id })) as string | null
      return base64 && `data:${typeOf(base64)};base64,${base64.replaceAll('\n', '')}`
    },
    staleTime: Infinity,
  })
}

// By the first bytes of a file in base64.
const typeOf = (base64: string) =>
  base64.startsWith('iVBOR') ? 'image/png' : base64.startsWith('UklGR') ? 'image/webp' : 'image/jpeg'

type Judged = Pick<QaCell, 'route' | 'place'> & {
  kind: QaKind
  outcome: Exclude<QaState, 'skipped'>
  note: string
  /** The last day of an exception. */
  until?: string
}

/** Says what an admin saw in a cell, or accepts its failure until a day. */
export function useJudgeQa() {
  return useAction(async ({ kind, route, place, outcome, note, until }: Judged) =>
    unwrap(
      await supabase.rpc('admin_judge_qa', {
        _kind: kind,
        _route: route,
        _place: place,
        _outcome: outcome,
        _note: note,
        ...(until && { _until: until }),
      }),
    ),
  )
}

export type KeptRun = {
  kind: QaKind
  browser: string
  version: string
  passed: number
  failed: number
  is_new: boolean
}

/** Sends a report of Playwright; the browser is that of tests that do not name theirs. @throws FunctionError */
export function useImportQa() {
  return useAction(async ({ file, browser, version }: { file: File; browser: string; version: string }) => {
    const query = new URLSearchParams({ ...(browser && { browser }), ...(version && { version }) }).toString()
    return (await invoke<{ runs: KeptRun[] }>(query ? `qa_report?${query}` : 'qa_report', file)).runs
  })
}
