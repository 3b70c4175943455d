/**
 * Carries the address that somebody has just typed to the next account page, so that nobody types it twice.
 *
 * It travels in the history state: an address in the URL would end in logs.
 */
import { z } from '@/lib/zod'

const state = z.object({ email: z.string() })

export function withAddress(email: string): z.infer<typeof state> {
  return { email }
}

/** The address carried by `location`, or the empty string of an untouched field. */
export function addressIn(location: { state: unknown }): string {
  return state.safeParse(location.state).data?.email ?? ''
}
