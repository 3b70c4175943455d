/** Ideas of the person with what came of them, and their votes. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { unwrap } from '@/data/postgrest'
import type { Wish, WishState } from '@/data/roadmap-board'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const ideasKey = ['ideas'] as const

export type IdeaState = 'new' | WishState | 'declined'
export type Idea = {
  id: number
  title: string
  text: string
  state: IdeaState
  /** What was planned because of it, where that is public. */
  item_title: string | null
  reply: string | null
  answered_at: string | null
  created_at: string
}

/** The newest first. */
export function myIdeasQuery(userId: string) {
  return queryOptions({
    queryKey: [...ideasKey, userId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('my_ideas')) as Idea[]
    },
  })
}

/** The public items, the most wanted first, with the person's own votes. */
export function wishesQuery(userId: string) {
  return queryOptions({
    queryKey: [...ideasKey, userId, 'board'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('roadmap_board')) as Wish[]
    },
  })
}

/** Sends an idea; the same one twice is one. */
export function useSendIdea() {
  return useIdeaChange(async ({ title, text }: { title: string; text: string }) =>
    unwrap(await supabase.rpc('send_idea', { _title: title, _text: text })),
  )
}

/** Erases an idea. */
export function useDeleteIdea() {
  return useIdeaChange(async (id: number) => unwrap(await supabase.rpc('delete_idea', { _id: id })))
}

/** Says at once whether the person wants an item; a refusal takes it back. */
export function useVote(userId: string) {
  const client = useQueryClient()
  const { queryKey } = wishesQuery(userId)
  return useMutation({
    mutationFn: async ({ id, isFor }: { id: number; isFor: boolean }) => {
      await currentUser()
      return unwrap(await supabase.rpc('vote_roadmap_item', { _id: id, _is_for: isFor }))
    },
    onMutate: async ({ id, isFor }) => {
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (wishes) =>
        wishes?.map((wish) =>
          wish.id === id && wish.is_mine !== isFor
            ? { ...wish, is_mine: isFor, votes: wish.votes + (isFor ? 1 : -1) }
            : wish,
        ),
      )
      return before
    },
    onError: (_error, _vote, before) => client.setQueryData(queryKey, before),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
}

function useIdeaChange<Told>(change: (told: Told) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (told: Told) => {
      await currentUser()
      await change(told)
    },
    onSettled: () => client.invalidateQueries({ queryKey: ideasKey }),
  })
}
