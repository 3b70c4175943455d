/** Chooses what a message takes along: a document, the PDF of an invoice, or a file from this device. */
import { useQuery } from '@tanstack/react-query'
import { UploadIcon } from 'lucide-react'
import { useDeferredValue, useId, useRef, useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import { addUploads, useUploads } from '@/data/uploads'
import { type WhatsappChat, type WhatsappFile, whatsappFilesQuery } from '@/data/whatsapp'

type Props = { userId: string; chat: WhatsappChat; onChoose: (file: WhatsappFile) => void; onClose: () => void }

export function WhatsappFileDialog({ userId, chat, onChoose, onClose }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [uploadId, setUploadId] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const upload = useUploads().find((item) => item.id === uploadId)
  const { data, isError, refetch } = useQuery(whatsappFilesQuery(userId, chat.contact_id, useDeferredValue(text)))

  function choose(file: WhatsappFile) {
    onChoose(file)
    onClose()
  }

  async function onArrival(documentId: string, name: string) {
    choose({ document_id: documentId, name })
  }

  function onFile(file: File | undefined) {
    if (!file) return
    setUploadId(addUploads({ userId, files: [file], onArrival })[0] ?? '')
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Allega un file</DialogTitle>
          <DialogDescription>Documenti e fatture di {chat.contacts?.name ?? 'questo contatto'}.</DialogDescription>
        </DialogHeader>
        <div className="grid gap-1.5">
          <Label htmlFor={id}>Cerca tra tutti i documenti</Label>
          <Input id={id} value={text} placeholder="Nome del file" onChange={({ target }) => setText(target.value)} />
        </div>
        {isError && !data && <LoadError text="Non riusciamo a leggere i file." onRetry={() => void refetch()} />}
        {!data && !isError && <Skeleton aria-busy className="h-24" />}
        {data?.length === 0 && (
          <p className="text-sm text-muted-foreground">
            {text ? 'Nessun file con questo nome.' : 'Nessun documento collegato a questo contatto.'}
          </p>
        )}
        <ul aria-label="File da allegare" className="grid max-h-64 gap-1 overflow-y-auto">
          {data?.map((file) => (
            <li key={file.document_id ?? file.invoice_id}>
              <Button
                type="button"
                variant="ghost"
                className="h-auto min-h-11 w-full justify-start text-left whitespace-normal"
                onClick={() => choose(file)}
              >
                {file.name}
              </Button>
            </li>
          ))}
        </ul>
        <div className="grid justify-items-start gap-1.5">
          <input
            ref={picker}
            type="file"
            hidden
            aria-label="File dal dispositivo"
            onChange={({ target }) => onFile(target.files?.[0])}
          />
          <Button
            type="button"
            variant="outline"
            disabled={upload !== undefined && upload.state !== 'failed'}
            onClick={() => picker.current?.click()}
          >
            <UploadIcon aria-hidden /> Carica dal dispositivo
          </Button>
          <p role="status" className="text-sm text-muted-foreground">
            {!upload && 'Resta tra i tuoi documenti.'}
            {upload &&
              (upload.state === 'failed' ? 'Questo file non si può caricare: provane un altro.' : 'Carico il file…')}
          </p>
        </div>
      </DialogContent>
    </Dialog>
  )
}
