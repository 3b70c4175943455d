/** The way out of promotions, for people without an account; light. */
import { clientConfig } from '@/lib/config'

/** Ends the promotions to whoever has this link; false when the link is none of ours. @throws when nothing answered */
export async function unsubscribe(search: string): Promise<boolean> {
  const { supabaseUrl, publishableKey } = clientConfig()
  const answer = await fetch(`${supabaseUrl}/functions/v1/mail_unsubscribe${search}`, {
    method: 'POST',
    headers: { apikey: publishableKey },
  })
  if (!answer.ok && answer.status !== 404) throw new Error(`mail_unsubscribe answered ${answer.status}`)
  return answer.ok
}
