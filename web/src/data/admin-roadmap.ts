/** The roadmap for admins: what is planned, and ideas without their authors. */
import { queryOptions } from '@tanstack/react-query'

import { useAction } from '@/data/admin'
import { unwrap } from '@/data/postgrest'
import type { WishState } from '@/data/roadmap-board'
import { supabase } from '@/lib/supabase'

export type ItemKind = 'product' | 'technical'
export type ItemState = WishState | 'declined'

export type RoadmapItem = {
  id: number
  kind: ItemKind
  title: string
  text: string
  state: ItemState
  due_on: string | null
  is_late: boolean
  is_public: boolean
  votes: number
  /** How many ideas belong to it. */
  ideas: number
  /** The message of its group of errors. */
  error: string | null
}

export type ReceivedIdea = {
  id: number
  title: string
  text: string
  item_id: number | null
  is_declined: boolean
  reply: string | null
  created_at: string
}

/** Items by votes, ideas unanswered first. */
export function adminRoadmapQuery() {
  return queryOptions({
    queryKey: ['admin', 'roadmap'],
    queryFn: async () =>
      unwrap(await supabase.rpc('admin_roadmap')) as unknown as { items: RoadmapItem[]; ideas: ReceivedIdea[] },
  })
}

export type WrittenItem = {
  id?: number
  kind: ItemKind
  title: string
  text: string
  state: ItemState
  isPublic: boolean
  /** Empty: no day is promised. */
  dueOn: string
  errorGroupId?: number
}

/** Writes an item, a new one without an id; those who asked for it are told of its state. Answers its id. */
export function useWriteItem() {
  return useAction(async (item: WrittenItem) =>
    unwrap(
      await supabase.rpc('admin_write_roadmap_item', {
        _title: item.title,
        _text: item.text,
        _state: item.state,
        _is_public: item.isPublic,
        _kind: item.kind,
        ...(item.dueOn && { _due_on: item.dueOn }),
        ...(item.errorGroupId !== undefined && { _error_group_id: item.errorGroupId }),
        ...(item.id !== undefined && { _id: item.id }),
      }),
    ),
  )
}

/** Puts an idea to an item, or without one refuses it; the reply goes to its author. */
export function useAnswerIdea() {
  return useAction(async ({ id, itemId, reply }: { id: number; itemId: number | null; reply: string }) =>
    unwrap(await supabase.rpc('admin_answer_idea', { _id: id, _item_id: itemId as number, _reply: reply })),
  )
}
