/** Hands a chosen file to the worker, and puts together what comes back. */
import { type ContactsFile, gathering } from '@/features/crm-import/contacts-file'
import type { Piece } from '@/features/crm-import/pieces'
import { digestOf } from '@/features/crm-import/reading'
// It brings no default of its own: the build answers its address.
// oxlint-disable-next-line import/default
import worker from '@/features/crm-import/reading-worker?worker&url'
import { refuseTooLarge } from '@/lib/contact-csv'
import { startWorker } from '@/lib/own-worker'

/**
 * @param onProgress is told the share that has been read, from 0 to 1
 * @throws FileProblem with a sentence for the person
 */
export async function readContactsFile(file: File, onProgress: (share: number) => void): Promise<ContactsFile> {
  refuseTooLarge(file)
  const digest = await digestOf(file)
  const reading = startWorker(worker)
  try {
    return await new Promise((resolve, reject) => {
      const add = gathering(file, digest)
      reading.addEventListener('message', ({ data }: MessageEvent<Piece>) => {
        try {
          const { share, whole } = add(data)
          onProgress(share)
          if (whole) resolve(whole)
        } catch (problem) {
          reject(problem)
        }
      })
      // Not loaded, or out of memory.
      reading.addEventListener('error', () => reject(new Error('the reading worker failed')))
      // Only windows are told an origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      reading.postMessage(file)
    })
  } finally {
    reading.terminate()
  }
}
