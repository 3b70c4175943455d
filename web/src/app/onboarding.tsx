/** /onboarding with what its second step takes from other features: contacts and documents, in one place. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import { useUser } from '@/data/auth-context'
import { reloadDocuments } from '@/data/documents'
import { addUploads } from '@/data/uploads'
import { contactEndings, type ContactsFile, isContactsFile } from '@/features/crm-import/contacts-file'
import { ContactsImport } from '@/features/crm-import/contacts-import'
import { ReadingProgress } from '@/features/crm-import/reading-progress'
import { useContactsFile } from '@/features/crm-import/use-contacts-file'
import { DropZone } from '@/features/documents/drop-zone'
import { Queue } from '@/features/documents/queue'
import { OnboardingPage } from '@/features/onboarding/onboarding-page'

const taken = {
  endings: contactEndings,
  title: 'Trascina qui contatti e fatture',
  text: 'Contatti: Excel, CSV o vCard. Fatture e documenti: XML, P7M, ZIP, PDF, foto.',
}

export default function Onboarding() {
  return <OnboardingPage intake={<Intake />} />
}

function Intake() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const field = useRef<HTMLInputElement>(null)
  const [contacts, setContacts] = useState<ContactsFile | null>(null)
  // Files of contacts are looked at one after the other.
  const [waiting, setWaiting] = useState<File[]>([])
  const reading = useContactsFile(setContacts)

  function take(files: File[]) {
    const documents = files.filter((file) => !isContactsFile(file))
    if (documents.length > 0) {
      addUploads({ userId, files: documents, onArrival: () => reloadDocuments(client, userId) })
    }
    const [next, ...rest] = [...waiting, ...files.filter(isContactsFile)]
    const isFree = contacts === null && reading.read === null
    setWaiting(isFree ? rest : [next, ...rest].filter((file) => file !== undefined))
    if (isFree) void reading.take(next)
  }

  function goOn() {
    const [next, ...rest] = waiting
    setContacts(null)
    setWaiting(rest)
    void reading.take(next)
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DropZone field={field} onFiles={take} more={taken} />
      <ReadingProgress read={reading.read} problem={reading.problem} onGiveUp={reading.giveUp} />
      <ContactsImport
        file={contacts}
        resumed={null}
        onFile={setContacts}
        onOver={goOn}
        next={<p className="w-full text-sm">Puoi portare altro, o andare avanti con «Continua».</p>}
      />
      <Queue userId={userId} />
    </div>
  )
}
