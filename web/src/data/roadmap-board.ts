/** What is planned because people asked for it, as everybody may see it. Without supabase-js: public pages show it. */
import { clientConfig } from '@/lib/config'

export type WishState = 'planned' | 'started' | 'done'

export type Wish = {
  id: number
  title: string
  text: string
  state: WishState
  /** The day that was promised. */
  due_on: string | null
  is_late: boolean
  done_at: string | null
  votes: number
  /** Whether the caller has voted for it. */
  is_mine: boolean
}

/** The most wanted first. @throws Error when the server does not answer. */
export async function readRoadmapBoard(): Promise<Wish[]> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const answer = await fetch(`${supabaseUrl}/rest/v1/rpc/roadmap_board`, { headers: { apikey: publishableKey } })
  if (!answer.ok) throw new Error(`roadmap_board answered ${answer.status}`)
  return (await answer.json()) as Wish[]
}
