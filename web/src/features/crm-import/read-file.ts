/** Hands a chosen file to the worker, or an Excel file to the server, and puts together what comes back. */
import { readSheet } from '@/data/sheets'
import { type ContactsFile, gathering, sheetFile } from '@/features/crm-import/contacts-file'
import type { Piece } from '@/features/crm-import/pieces'
import { digestOf } from '@/features/crm-import/reading'
// It brings no default of its own: the build answers its address.
// oxlint-disable-next-line import/default
import worker from '@/features/crm-import/reading-worker?worker&url'
import { FileProblem, refuseTooLarge } from '@/lib/contact-csv'
import { startWorker } from '@/lib/own-worker'

const WORKBOOK = /\.(?:xls[xmb]?|xlt[xm]|ods)$/i
const MAX_WORKBOOK_BYTES = 20 * 1024 * 1024

/** @throws as `readContactsFile` */
export async function readSheetFile(file: File, index: number | null, signal: AbortSignal): Promise<ContactsFile> {
  if (file.size > MAX_WORKBOOK_BYTES) {
    throw new FileProblem('Il file Excel supera i 20 MB: togli i fogli che non servono, o salvalo come CSV, e riprova.')
  }
  return sheetFile(file, await digestOf(file), await readSheet(file, index, signal))
}

/**
 * @param onProgress is told the share that has been read, from 0 to 1; of an Excel file nothing is known until its end
 * @throws FileProblem with a sentence for the person, and what `signal` says
 */
export async function readContactsFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<ContactsFile> {
  refuseTooLarge(file)
  if (WORKBOOK.test(file.name)) return readSheetFile(file, null, signal)
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
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
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
