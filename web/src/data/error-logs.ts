/** error_logs: rendering errors of the client, for the admin dashboard. */
import { unwrap } from '@/data/postgrest'
import { productSessionId } from '@/lib/product-session'
import { release } from '@/lib/release'
import { supabase } from '@/lib/supabase'
import { withoutTokens } from '@/lib/without-tokens'

// The table bounds its texts; a longer stack would lose the whole row.
const MAX_MESSAGE = 2_000
const MAX_STACK = 8_000

const cut = (text: string, length: number): string => withoutTokens(text).slice(0, length)

/** Writes one row. @throws when the server refuses; the error boundary swallows that. */
export async function logError(error: Error, componentStack: string | null | undefined): Promise<void> {
  const { data } = await supabase.auth.getUser()
  unwrap(
    await supabase.from('error_logs').insert({
      user_id: data.user?.id ?? null,
      session_id: productSessionId(),
      error_message: cut(error.message, MAX_MESSAGE),
      error_stack: error.stack ? cut(error.stack, MAX_STACK) : null,
      component_stack: componentStack ? cut(componentStack, MAX_STACK) : null,
      url: cut(window.location.href, MAX_MESSAGE),
      user_agent: navigator.userAgent.slice(0, 500),
      severity: 'critical',
      metadata: {
        timestamp: new Date().toISOString(),
        browser: navigator.userAgent.slice(0, 500),
        viewport: `${window.innerWidth}x${window.innerHeight}`,
        release: release(),
      },
    }),
  )
}
