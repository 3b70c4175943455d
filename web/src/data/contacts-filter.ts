/**
 * What a segment remembers: conditions that a contact meets all of, as JSON and as a filter of PostgREST.
 *
 * The same JSON stands in the address of the list, so a filtered list can be shared, reloaded and gone back to.
 */
import { contactOrigins } from '@/strings/crm'
import { z } from '@/lib/zod'

const consentStates = ['dato', 'negato', 'revocato', 'non_richiesto'] as const
const origins = Object.keys(contactOrigins) as (keyof typeof contactOrigins)[]

const conditionSchema = z.discriminatedUnion('field', [
  /** Has one of these tags. */
  z.object({ field: z.literal('tags'), any: z.array(z.uuid()).min(1).max(50) }),
  z.object({ field: z.literal('origin'), any: z.array(z.enum(origins)).min(1) }),
  /** The state of the marketing consent for a channel. */
  z.object({ field: z.literal('consent'), channel: z.enum(['email', 'whatsapp']), is: z.enum(consentStates) }),
  /** Whose cadence says that it is time to get in touch. */
  z.object({ field: z.literal('due') }),
  /** Not heard for so many days, or never. */
  z.object({ field: z.literal('silent'), days: z.int().min(1).max(3650) }),
])

const filterSchema = z.object({ all: z.array(conditionSchema).max(20) })

export type Condition = z.infer<typeof conditionSchema>
export type ContactFilter = z.infer<typeof filterSchema>

export const everybody: ContactFilter = { all: [] }

/** The filter that `value` holds, or null when it is none of this version. */
export function filterFrom(value: unknown): ContactFilter | null {
  const read = filterSchema.safeParse(value)
  return read.success ? read.data : null
}

/** The filter written in an address; anything else filters nothing. */
export function filterIn(text: string | null): ContactFilter {
  if (!text) return everybody
  try {
    return filterFrom(JSON.parse(text)) ?? everybody
  } catch {
    return everybody
  }
}

const DAY_MS = 86_400_000

function logicOf(condition: Condition, now: Date): string {
  switch (condition.field) {
    case 'tags':
      return `tag_ids.ov.{${condition.any.join(',')}}`
    case 'origin':
      return `origin.in.(${condition.any.join(',')})`
    case 'consent': {
      const path = `consents->>${condition.channel}`
      // Nobody asked is the same as no row.
      return condition.is === 'non_richiesto'
        ? `or(${path}.is.null,${path}.eq.non_richiesto)`
        : `${path}.eq.${condition.is}`
    }
    case 'due': {
      const at = now.toISOString()
      return `and(next_touch_at.lte.${at},or(snoozed_until.is.null,snoozed_until.lte.${at}))`
    }
    case 'silent': {
      const since = new Date(now.getTime() - condition.days * DAY_MS).toISOString()
      return `or(last_interaction_at.is.null,last_interaction_at.lt.${since})`
    }
  }
}

/** The conditions as PostgREST's `and(…)`, for the parameter `or`; null when there is none. */
export function postgrestFilter({ all }: ContactFilter, now = new Date()): string | null {
  return all.length === 0 ? null : `and(${all.map((condition) => logicOf(condition, now)).join(',')})`
}
