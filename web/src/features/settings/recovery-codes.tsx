import { DownloadIcon } from 'lucide-react'

import { CopyButton } from '@/components/copy-button'
import { Button } from '@/components/ui/button'
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog'
import { saveFile } from '@/lib/save-file'

/** Groups of four are read and typed without getting lost; the server ignores the hyphens. */
const grouped = (code: string): string => code.match(/.{1,4}/g)?.join('-') ?? code

const download = (text: string) => saveFile('socio-codici-di-recupero.txt', text, 'text/plain')

const ignore = (event: Event) => event.preventDefault()

/** The ten codes, the only time they can be read: only «Li ho salvati» closes. */
export function RecoveryCodes({ codes, onSaved }: { codes: string[]; onSaved: () => void }) {
  const lines = codes.map(grouped)
  const text = `Codici di recupero di Socio. Ognuno vale una volta sola.\n\n${lines.join('\n')}\n`
  return (
    <Dialog open>
      <DialogContent showCloseButton={false} onEscapeKeyDown={ignore} onInteractOutside={ignore}>
        <DialogHeader>
          <DialogTitle>Salva i codici di recupero</DialogTitle>
          <DialogDescription>
            Se perdi il telefono o la chiave, con uno di questi codici entri lo stesso. Mettili al sicuro adesso: non
            potremo mostrarteli di nuovo.
          </DialogDescription>
        </DialogHeader>
        <ol
          aria-label="Codici di recupero"
          className="tabular grid gap-x-6 gap-y-1.5 rounded-md bg-muted p-4 font-medium sm:grid-cols-2"
        >
          {lines.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ol>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={lines.join('\n')} label="Copia i codici" />
          <Button variant="outline" size="sm" onClick={() => download(text)}>
            <DownloadIcon aria-hidden />
            Scarica come testo
          </Button>
        </div>
        <DialogFooter>
          <Button onClick={onSaved}>Li ho salvati</Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
