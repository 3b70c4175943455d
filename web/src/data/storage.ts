/** Turns storage's `{ data, error }` answers into values and exceptions; addresses and headers for calls by hand. */
import { clientConfig } from '@/lib/config'
import { supabase } from '@/lib/supabase'

/** What storage-js reports, of every kind. */
type Reported = Error & { status?: number | undefined; statusCode?: string | undefined }

/** A refused or failed call; `status` is the one that storage means, 0 when no answer came at all. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  readonly status: number

  constructor(error: Reported) {
    super(error.message, { cause: error })
    this.status = Number(error.statusCode) || (error.status ?? 0)
  }
}

/** @throws StorageFailure when the server refused or did not answer. */
export function stored<T>({ data, error }: { data: T | null; error: Reported | null }): T {
  if (error) throw new StorageFailure(error)
  if (data === null) throw new StorageFailure(new Error('Storage answered nothing'))
  return data
}

export const storageAddress = (path: string): string => `${clientConfig().supabaseUrl}/storage/v1${path}`

/** The caller's, with a token that is still good; without one when nobody is signed in. */
export async function storageHeaders(): Promise<Record<string, string>> {
  const { data } = await supabase.auth.getSession()
  const apikey = clientConfig().publishableKey
  return data.session ? { apikey, Authorization: `Bearer ${data.session.access_token}` } : { apikey }
}
