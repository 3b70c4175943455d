/** Reads a chosen file of contacts: how far it is, and what is wrong with it. */
import { useRef, useState } from 'react'

import type { ContactsFile } from '@/features/crm-import/contacts-file'
import { readContactsFile } from '@/features/crm-import/read-file'
import { FileProblem } from '@/lib/contact-csv'

/** @param onFile gets the file, and whether another application has shared it */
export function useContactsFile(onFile: (file: ContactsFile, isShared: boolean) => void) {
  // The share that has been read.
  const [read, setRead] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const stop = useRef(new AbortController())

  async function take(file: File | undefined, isShared = false) {
    if (!file || read !== null) return
    setProblem(null)
    setRead(0)
    stop.current = new AbortController()
    const { signal } = stop.current
    try {
      onFile(await readContactsFile(file, setRead, signal), isShared)
    } catch (error) {
      if (signal.aborted) return
      setProblem(
        error instanceof FileProblem ? error.message : 'Il file non si può leggere: esportalo di nuovo e riprova.',
      )
    } finally {
      setRead(null)
    }
  }
  return { read, problem, take, giveUp: () => stop.current.abort() }
}
