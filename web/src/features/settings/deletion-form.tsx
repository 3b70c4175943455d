import { DownloadIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { type DeletionPreview, type FiscalArchive, useRequestDeletion } from '@/data/account-deletion'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { credits } from '@/strings/credits'
import { dayAndMonth } from '@/strings/dates'
import { formatEuro } from '@/strings/numbers'

type Props = { userId: string; preview: DeletionPreview }

/** What is asked before: the fiscal archive, the credits, the address typed, and one last time. */
export function DeletionForm({ userId, preview }: Props) {
  const ask = useRequestDeletion(userId)
  const [archive, setArchive] = useState<FiscalArchive | null>(preview.invoices === 0 ? 'empty' : null)
  const [givesUp, setGivesUp] = useState(false)
  const [typed, setTyped] = useState('')
  const [isAsking, setAsking] = useState(false)
  const address = preview.address ?? ''
  const isComplete =
    archive !== null &&
    (preview.credits === 0 || givesUp) &&
    address !== '' &&
    typed.trim().toLowerCase() === address.toLowerCase()

  function confirm(): void {
    if (archive === null) return
    ask.mutate(
      { address: typed, fiscal_archive: archive, gives_up_credits: givesUp },
      {
        onSuccess: () => toast.success('Eliminazione avviata', { description: 'Ti abbiamo scritto come annullarla.' }),
        onError: (error) => {
          setAsking(false)
          toast.error(
            error instanceof FunctionError ? error.message : 'Non siamo riusciti a registrare la richiesta. Riprova.',
          )
        },
      },
    )
  }

  return (
    <>
      <Card>
        <CardHeader>
          <CardTitle>Prima porta via le tue cose</CardTitle>
          <CardDescription>
            {preview.invoices === 0
              ? 'Dopo l’eliminazione non possiamo ridarti niente.'
              : 'Le fatture si conservano 10 anni, ed è un obbligo tuo: quando l’account non c’è più non possiamo ridartele.'}
          </CardDescription>
        </CardHeader>
        <Button variant="outline" className="self-start" asChild>
          <Link to={paths.settingsData}>
            <DownloadIcon aria-hidden />
            {preview.invoices === 0 ? 'Scarica i tuoi dati' : 'Scarica tutto, fatture comprese'}
          </Link>
        </Button>
        {preview.invoices > 0 && (
          <fieldset className="grid gap-2">
            <legend className="mb-2 text-sm font-medium">Dove conservi le tue fatture?</legend>
            <RadioCard name="archive" checked={archive === 'downloaded'} onChange={() => setArchive('downloaded')}>
              Ho scaricato l’archivio
            </RadioCard>
            <RadioCard name="archive" checked={archive === 'elsewhere'} onChange={() => setArchive('elsewhere')}>
              L’ho già altrove
            </RadioCard>
          </fieldset>
        )}
      </Card>
      {preview.credits > 0 && (
        <Card>
          <CardHeader>
            <CardTitle>Hai ancora {credits(preview.credits)}</CardTitle>
            <CardDescription>
              {preview.refunds.length === 0
                ? 'Non ci sono acquisti che si possono ancora rimborsare.'
                : 'Una parte te la possiamo restituire: chiedila prima di eliminare l’account.'}
            </CardDescription>
          </CardHeader>
          {preview.refunds.length > 0 && (
            <ul aria-label="Rimborsi possibili" className="grid gap-2 text-sm">
              {preview.refunds.map(({ order_id, amount_cents, until }) => (
                <li key={order_id} className="flex flex-wrap items-center justify-between gap-2">
                  <span>
                    {formatEuro(amount_cents)} per i crediti non usati, fino al {dayAndMonth(until)}
                  </span>
                  <Button variant="outline" size="sm" asChild>
                    <Link to={paths.settingsCredits}>Chiedi il rimborso</Link>
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <Tick isOn={givesUp} onChange={setGivesUp}>
            Rinuncio ai crediti che restano
          </Tick>
        </Card>
      )}
      <Card>
        <CardHeader>
          <CardTitle>Elimina</CardTitle>
          <CardDescription>Ti scriviamo subito, una settimana prima e alla fine, con il certificato.</CardDescription>
        </CardHeader>
        <div className="grid gap-2">
          <Label htmlFor="deletion-address">Scrivi {address} per confermare</Label>
          <Input
            id="deletion-address"
            type="email"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <Button variant="destructive" className="self-start" disabled={!isComplete} onClick={() => setAsking(true)}>
          Elimina l’account
        </Button>
      </Card>
      <ConfirmDialog
        isOpen={isAsking}
        title="Eliminare il tuo account?"
        text="Da subito non parte più nulla. Tra 30 giorni eliminiamo tutto, e non si può tornare indietro. Fino ad allora basta accedere e annullare."
        confirm="Elimina l’account"
        isBusy={ask.isPending}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function Tick({ isOn, onChange, children }: { isOn: boolean; onChange: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="size-5 accent-primary"
      />
      {children}
    </label>
  )
}
