/** The one Supabase client. Only data/ and api/ import it. */
// oxlint-disable-next-line no-restricted-imports -- the client is made here only
import { createClient } from '@supabase/supabase-js'

import type { Database } from '@/data/database.gen'
import { clientConfig } from '@/lib/config'
import { watchedFetch } from '@/lib/connection'
import { publicWhileHalfway } from '@/lib/public-while-halfway'
import { takesSessionFrom } from '@/lib/session-link'
import { local } from '@/lib/storage'

const { supabaseUrl, publishableKey } = clientConfig()

export const supabase = createClient<Database>(supabaseUrl, publishableKey, {
  auth: {
    storage: local,
    persistSession: true,
    autoRefreshToken: true,
    detectSessionInUrl: takesSessionFrom,
    experimental: { recoveryCodes: true },
  },
  global: { fetch: publicWhileHalfway(watchedFetch, publishableKey) },
})
