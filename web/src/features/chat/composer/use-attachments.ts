/** Files that go with a question: they are uploaded like every document, and the question names them. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { reloadDocuments } from '@/data/documents'
import { addUploads, type UploadItem, useUploads } from '@/data/uploads'
import { changeDraft } from '@/features/chat/composer/drafts'

/** So many documents fit one question. */
export const MOST_ATTACHMENTS = 10

/** `at` is where the draft stands; a file arrives there whatever page is open by then. */
export function useAttachments(userId: string, at: string): { uploading: UploadItem[]; add: (files: File[]) => void } {
  const client = useQueryClient()
  const uploads = useUploads()
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())

  function add(files: File[]) {
    const ids = addUploads({
      userId,
      files,
      onArrival: (id, name) => {
        changeDraft(at, ({ attachments }) => ({
          attachments: attachments.some((one) => one.id === id) ? attachments : [...attachments, { id, name }],
        }))
        return reloadDocuments(client, userId)
      },
    })
    setOwn((before) => new Set([...before, ...ids]))
  }

  return { uploading: uploads.filter(({ id }) => own.has(id)), add }
}
