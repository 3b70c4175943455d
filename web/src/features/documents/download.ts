/** Saves documents under their names. */
import { toast } from 'sonner'

import { downloadLink, type ListedDocument } from '@/data/documents'

/** One after the other, as the browser asks for it. */
export async function download(documents: readonly ListedDocument[]): Promise<void> {
  try {
    for (const document of documents) {
      // oxlint-disable-next-line no-await-in-loop
      save(await downloadLink(document), document.filename)
    }
  } catch {
    toast.error('Non siamo riusciti a scaricare: riprova')
  }
}

/** Saves what is behind `url`; the server says that it is an attachment. */
function save(url: string, name: string): void {
  const link = window.document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
