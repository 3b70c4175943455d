/** What becomes of ideas and of what is planned, in words. */
import type { ItemState } from '@/data/admin-roadmap'
import type { IdeaState } from '@/data/ideas'
import type { WishState } from '@/data/roadmap-board'

export const wishStates: Record<WishState, string> = { planned: 'Prevista', started: 'In corso', done: 'Fatta' }

export const ideaStates: Record<IdeaState, string> = {
  new: 'Da leggere',
  ...wishStates,
  declined: 'Non la faremo',
}

/** As admins see them. */
export const itemStates: Record<ItemState, string> = { ...wishStates, declined: 'Non si fa' }

/** How many people want something. */
export function votesText(votes: number): string {
  return votes === 1 ? '1 voto' : `${votes} voti`
}
