/** data_imports: an archive of another account of the person on its way into this one. */
import { queryOptions } from '@tanstack/react-query'

import { isUnderWay } from '@/data/data-exports'
import { invoke } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { storageAddress, storageHeaders } from '@/data/storage'
import { startTransfer, type Transfer } from '@/lib/resumable-upload'
import { supabase } from '@/lib/supabase'
import type { UploadFailure } from '@/strings/files'

const RUNNING_POLL_MS = 1500
export const dataImportKey = (userId: string) => ['data_imports', userId] as const

/** The newest import, and whether the account still takes an archive. */
export function dataImportQuery(userId: string) {
  return queryOptions({
    queryKey: dataImportKey(userId),
    queryFn: async () => {
      await currentUser()
      const [rows, isOpen] = await Promise.all([
        supabase
          .from('data_imports')
          .select('id, state, rows, rows_done, files, files_done, files_lost, error, created_at')
          .order('created_at', { ascending: false })
          .limit(1)
          .then(unwrap),
        supabase.rpc('takes_archive').then(unwrap),
      ])
      return { newest: rows[0] ?? null, isOpen }
    },
    refetchInterval: ({ state: { data } }) => (data?.newest && isUnderWay(data.newest) ? RUNNING_POLL_MS : false),
  })
}

type Sending = {
  onProgress: (sentBytes: number) => void
  onFailure: (failure: UploadFailure) => void
  /** The path in the bucket. */
  onDone: (path: string) => void
}

/** Sends an archive; what has arrived is not sent again when the same file is chosen later. */
export function sendArchive(userId: string, file: File, listener: Sending): Promise<Transfer> {
  return startTransfer({
    file,
    endpoint: storageAddress('/upload/resumable'),
    owner: userId,
    metadata: {
      bucketName: 'imports',
      objectName: `${userId}/${crypto.randomUUID()}.zip`,
      contentType: 'application/zip',
      cacheControl: '3600',
    },
    headers: storageHeaders,
    onInterrupted: () => undefined,
    ...listener,
  })
}

/** Whether an archive may be sent: asked before it is. @throws as `invoke` */
export const mayImport = () => invoke<object>('data_import', {})

/** Has an archive that has arrived brought into the account. @throws as `invoke` */
export const beginImport = (path: string) => invoke<{ id: string }>('data_import', { path })
