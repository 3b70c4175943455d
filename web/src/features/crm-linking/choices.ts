/** What a counterparty may become: a contact that is there, or a new one. */
import type { LinkChoice, Party } from '@/data/parties'

export type Chosen = { kind: 'new' } | { kind: 'contact'; id: string; name: string }
export type Ready = { party: Party; choice: Chosen }

/** The only sure contact is chosen beforehand, until its owner chooses otherwise. */
export function firstChoice(party: Party, chosen: ReadonlyMap<string, Chosen | null>): Chosen | null {
  const [candidate] = party.candidates
  if (chosen.has(party.party_key) || !party.is_sure || !candidate) return null
  return { kind: 'contact', id: candidate.contact_id, name: candidate.name }
}

export const asked = ({ party, choice }: Ready): LinkChoice => ({
  party_key: party.party_key,
  ...(choice.kind === 'new' ? { create: true } : { contact_id: choice.id }),
})

/** Without a name nothing can be made. */
export const canBeNew = (party: Party): boolean => party.name !== null
