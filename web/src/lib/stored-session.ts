/** Whether somebody is signed in, told without supabase-js (60 KB): the entry of the public pages must stay light. */
import { clientConfig } from '@/lib/config'
import { local } from '@/lib/storage'

/** True when supabase-js left a session here; it may have ended meanwhile, which only the server knows. */
export function hasStoredSession(): boolean {
  return local.getItem(storageKey()) !== null
}

/** Whose session that is; null where nobody's can be read. */
export function storedUserId(): string | null {
  try {
    const stored = JSON.parse(local.getItem(storageKey()) ?? 'null') as { user?: { id?: string } } | null
    return stored?.user?.id ?? null
  } catch {
    return null
  }
}

/** How supabase-js names its entry: after the first label of the host. */
export function storageKey(): string {
  return `sb-${new URL(clientConfig().supabaseUrl).hostname.split('.')[0]}-auth-token`
}
