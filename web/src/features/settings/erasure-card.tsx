/** Erases a contact: what goes and what stays is seen before, the name is typed, and a certificate is what is left. */
import { FileCheckIcon } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Spinner } from '@/components/ui/spinner'
import {
  type Erasure,
  erasureCertificate,
  type Fate,
  type Finding,
  isWrongName,
  useEraseContact,
} from '@/data/contact-rights'
import { saveBlob } from '@/lib/save-file'
import { paths } from '@/paths'
import { formatCount } from '@/strings/numbers'

const fates: Record<Fate, string> = {
  via: 'Va via',
  senza_nome: 'Resta senza il suo nome',
  resta: 'Resta, e perché',
}

type Line = { label: string; fate: Fate; found: number; reason: string | null }

/** Lines by what becomes of them. */
function Fates({ lines }: { lines: Line[] }) {
  return (
    <>
      {(Object.keys(fates) as Fate[]).map((fate) => {
        const own = lines.filter((line) => line.fate === fate)
        if (own.length === 0) return null
        return (
          <section key={fate}>
            <h3 className="text-sm font-semibold">{fates[fate]}</h3>
            <ul aria-label={fates[fate]} className="mt-1 grid gap-1.5 text-sm">
              {own.map(({ label, found, reason }) => (
                <li key={label} className="grid">
                  <span className="flex justify-between gap-4">
                    {label} <span className="text-muted-foreground tabular">{formatCount(found)}</span>
                  </span>
                  {fate === 'resta' && reason && <span className="text-muted-foreground">{reason}.</span>}
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </>
  )
}

type Props = { contactId: string; name: string; findings: Finding[]; onErased: (erasure: Erasure) => void }

export function ErasureCard({ contactId, name, findings, onErased }: Props) {
  const mentionsId = useId()
  const [withMentions, setWithMentions] = useState(true)
  const [isAsking, setAsking] = useState(false)
  const hasMentions = findings.some(({ domain, fate }) => domain === 'forse' && fate !== 'resta')
  const lines = findings.map(({ domain, label, fate, found, reason }): Line => {
    if (domain !== 'forse') return { label, fate, found, reason }
    const line = { label: `${label} che lo nominano`, found }
    return withMentions ? { ...line, fate, reason } : { ...line, fate: 'resta', reason: 'Non è collegato al contatto' }
  })
  return (
    <Card>
      <CardHeader>
        <CardTitle>Cancella</CardTitle>
        <CardDescription>
          Non si può annullare. Le email restano anche nella tua casella e i file che hai scaricato dove li hai messi:
          quelli li cancelli tu. I file dei documenti spariscono entro un giorno, le copie di sicurezza quando scadono.
        </CardDescription>
      </CardHeader>
      <Fates lines={lines} />
      {hasMentions && (
        <label htmlFor={mentionsId} className="flex min-h-11 items-center gap-3 text-sm">
          <input
            id={mentionsId}
            type="checkbox"
            className="size-5 shrink-0 accent-primary"
            checked={withMentions}
            onChange={({ target }) => setWithMentions(target.checked)}
          />
          Togli il suo nome anche da chat, note e attività che lo nominano
        </label>
      )}
      <Button variant="destructive" className="self-start" onClick={() => setAsking(true)}>
        Cancella {name}
      </Button>
      {isAsking && (
        <EraseDialog
          contactId={contactId}
          name={name}
          withMentions={withMentions}
          onErased={onErased}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}

type DialogProps = Pick<Props, 'contactId' | 'name' | 'onErased'> & { withMentions: boolean; onClose: () => void }

function EraseDialog({ contactId, name, withMentions, onErased, onClose }: DialogProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const [error, setError] = useState('')
  const erase = useEraseContact(contactId)

  async function send(event: FormEvent) {
    event.preventDefault()
    try {
      onErased(await erase.mutateAsync({ typed, withMentions }))
    } catch (failure) {
      if (isWrongName(failure)) setError(`Scrivi «${name}», come sta scritto sopra`)
      else tellFailure(failure)
    }
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Cancellare {name} per sempre?</DialogTitle>
          <DialogDescription>
            Non si può annullare, nemmeno chiedendocelo. Se gli serve una copia, scaricala prima.
          </DialogDescription>
        </DialogHeader>
        <form noValidate className="grid gap-4" onSubmit={(event) => void send(event)}>
          <div className="grid gap-1.5">
            <Label htmlFor={id}>Scrivi «{name}» per confermare</Label>
            <Input
              id={id}
              value={typed}
              autoComplete="off"
              aria-invalid={Boolean(error)}
              aria-describedby={error ? `${id}-error` : undefined}
              onChange={({ target }) => setTyped(target.value)}
            />
            {error && (
              <p id={`${id}-error`} role="alert" className="text-sm font-medium text-error">
                {error}
              </p>
            )}
          </div>
          <Button type="submit" variant="destructive" className="justify-self-end" disabled={erase.isPending}>
            {erase.isPending && <Spinner aria-hidden />}
            Cancella per sempre
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}

/** What is left to see: the certificate. */
export function ErasureDone({ erasure }: { erasure: Erasure }) {
  async function print() {
    try {
      saveBlob('Certificato di cancellazione.pdf', await erasureCertificate(erasure.id))
    } catch {
      toast.error('Non siamo riusciti a preparare il certificato: riprova')
    }
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Dati cancellati</CardTitle>
        <CardDescription>
          Il certificato dice che cosa è stato cancellato e che cosa resta. Resta anche qui, sotto Privacy, cinque anni.
        </CardDescription>
      </CardHeader>
      <Fates lines={erasure.lines} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void print()}>
          <FileCheckIcon aria-hidden /> Scarica il certificato
        </Button>
        <Button variant="outline" asChild>
          <Link to={paths.settingsPrivacy}>Torna a Privacy</Link>
        </Button>
      </div>
    </Card>
  )
}
