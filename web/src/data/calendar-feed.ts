/** The private address under which calendar programs read the tasks. The server keeps no copy: it is shown once. */
import { unwrap } from '@/data/postgrest'
import { clientConfig } from '@/lib/config'
import { supabase } from '@/lib/supabase'

const addressOf = (secret: string) => `${clientConfig().supabaseUrl}/functions/v1/calendar?secret=${secret}`

/** Opens the feed and answers its address; null when it is open already. */
export async function openCalendarFeed(): Promise<string | null> {
  // The generated type cannot say that it may be null.
  const secret = unwrap(await supabase.rpc('calendar_secret')) as string | null
  return secret && addressOf(secret)
}

/** Another address; the one before it stops working at once. */
export async function renewCalendarFeed(): Promise<string> {
  return addressOf(unwrap(await supabase.rpc('renew_calendar_secret')))
}

export async function closeCalendarFeed(): Promise<void> {
  unwrap(await supabase.rpc('revoke_calendar_secret'))
}
