/** Which documents a list shows: what the address says, and the conditions that PostgREST is asked. */
import type { Enums } from '@/data/tables'

export type DocumentWish = {
  /** What to search for in all pages; it brings its own order. */
  text: string
  kind: Enums<'document_kind'> | null
  state: Enums<'document_state'> | null
  contactId: string | null
  tagId: string | null
  /** The first and the last day, `2026-11-21`: of the document, or of its arrival when it says none. */
  from: string | null
  to: string | null
  isTrash: boolean
}

export type DocumentFilter = Pick<DocumentWish, 'kind' | 'state' | 'contactId' | 'tagId' | 'from' | 'to'>

export const noFilter: DocumentFilter = {
  kind: null,
  state: null,
  contactId: null,
  tagId: null,
  from: null,
  to: null,
}

/** How many conditions narrow the list; a period is one. */
export function filterCount({ kind, state, contactId, tagId, from, to }: DocumentFilter): number {
  return [kind, state, contactId, tagId, from ?? to].filter(Boolean).length
}

/** The instant at which a day begins where the person is. */
function startOf(day: string, plusDays = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + plusDays).toISOString()
}

/** The period as conditions for PostgREST's `or`, each of which must hold. */
export function periodLogic({ from, to }: Pick<DocumentWish, 'from' | 'to'>): string[] {
  const logic: string[] = []
  if (from) logic.push(`issued_on.gte.${from},and(issued_on.is.null,created_at.gte.${startOf(from)})`)
  if (to) logic.push(`issued_on.lte.${to},and(issued_on.is.null,created_at.lt.${startOf(to, 1)})`)
  return logic
}

/** The filter as `search_documents` takes it. */
export function searchFilter({ kind, state, contactId, tagId, from, to }: DocumentFilter): Record<string, string> {
  const all = { kind, state, contact_id: contactId, tag_id: tagId, from, to }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null))
}
