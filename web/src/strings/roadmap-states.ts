/** What becomes of ideas and of what is planned, in words. */
import type { IdeaState } from '@/data/ideas'

export const ideaStates: Record<IdeaState, string> = {
  new: 'Da leggere',
  planned: 'Prevista',
  started: 'In corso',
  done: 'Fatta',
  declined: 'Non la faremo',
}

/** How many people want something. */
export function votesText(votes: number): string {
  return votes === 1 ? '1 voto' : `${votes} voti`
}
