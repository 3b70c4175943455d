/** Asks which contact several documents belong to. Mounted only while open. */
import { useState } from 'react'
import { toast } from 'sonner'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { Spinner } from '@/components/ui/spinner'
import type { FoundContact } from '@/data/contact-search'
import { useLinkDocuments } from '@/data/documents'

type Props = { userId: string; ids: readonly string[]; onClose: () => void }

export function ContactDialog({ userId, ids, onClose }: Props) {
  const [contact, setContact] = useState<FoundContact | null>(null)
  const link = useLinkDocuments(userId)

  function save() {
    if (!contact) return
    link.mutate(
      { ids, contactId: contact.id },
      {
        onSuccess: () => {
          toast.success('Contatto collegato', { description: contact.name })
          onClose()
        },
      },
    )
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Collega a un contatto</DialogTitle>
          <DialogDescription>
            {ids.length === 1 ? 'Il documento comparirà' : `I ${ids.length} documenti compariranno`} nella sua scheda.
          </DialogDescription>
        </DialogHeader>
        <ContactField userId={userId} label="Contatto" value={contact} onChoose={setContact} />
        {link.isError && (
          <p role="alert" className="text-sm font-medium text-error">
            Non siamo riusciti a collegarli: riprova
          </p>
        )}
        <DialogFooter>
          <Button variant="outline" onClick={onClose}>
            Annulla
          </Button>
          <Button disabled={!contact || link.isPending} onClick={save}>
            {link.isPending && <Spinner aria-hidden />}
            Collega
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
