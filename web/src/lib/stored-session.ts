/** Whether somebody is signed in, told without supabase-js (60 KB): the entry of the public pages must stay light. */
import { clientConfig } from '@/lib/config'
import { local } from '@/lib/storage'

/** True when supabase-js left a session here; it may have ended meanwhile, which only the server knows. */
export function hasStoredSession(): boolean {
  return local.getItem(storageKey()) !== null
}

/** How supabase-js names its entry: after the first label of the host. */
function storageKey(): string {
  return `sb-${new URL(clientConfig().supabaseUrl).hostname.split('.')[0]}-auth-token`
}
