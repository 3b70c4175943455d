/** The private address by which a calendar program shows the tasks. */
import { useState } from 'react'
import { toast } from 'sonner'

import { CopyButton } from '@/components/copy-button'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { closeCalendarFeed, openCalendarFeed, renewCalendarFeed } from '@/data/calendar-feed'
import { tellFailure } from '@/components/save-failure'

/** What is known of the feed: nothing yet, that it was opened before, or its address. */
type Feed = { kind: 'unknown' } | { kind: 'hidden' } | { kind: 'shown'; address: string }

/** Mounted only while open. */
export function CalendarFeedDialog({ onClose }: { onClose: () => void }) {
  const [feed, setFeed] = useState<Feed>({ kind: 'unknown' })
  const [isBusy, setBusy] = useState(false)

  async function run(work: () => Promise<void>) {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      tellFailure(error)
    }
    setBusy(false)
  }

  const create = () =>
    run(async () => {
      const address = await openCalendarFeed()
      setFeed(address ? { kind: 'shown', address } : { kind: 'hidden' })
    })
  const renew = () => run(async () => setFeed({ kind: 'shown', address: await renewCalendarFeed() }))
  const close = () =>
    run(async () => {
      await closeCalendarFeed()
      toast('Collegamento spento', { description: 'L’indirizzo non funziona più.' })
      onClose()
    })

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Le attività nel tuo calendario</DialogTitle>
          <DialogDescription>
            Un indirizzo privato per Google Calendar, Apple Calendario o Outlook: ci vedrai le attività con una data.
            Chi lo conosce le legge, perciò non darlo a nessuno.
          </DialogDescription>
        </DialogHeader>
        {feed.kind === 'hidden' && (
          <p role="status" className="rounded-md bg-muted p-4 text-sm">
            Il collegamento è già attivo. Per sicurezza il suo indirizzo si mostra una volta sola: se lo hai perso,
            rigeneralo e quello di prima si spegne.
          </p>
        )}
        {feed.kind === 'shown' && (
          <>
            <Input
              readOnly
              aria-label="Indirizzo del calendario"
              value={feed.address}
              onFocus={(event) => event.currentTarget.select()}
            />
            <p className="text-sm text-muted-foreground">Copialo ora: non lo mostreremo più.</p>
          </>
        )}
        <div className="flex flex-wrap gap-2">
          {feed.kind === 'unknown' && (
            <Button disabled={isBusy} onClick={() => void create()}>
              Crea l’indirizzo
            </Button>
          )}
          {feed.kind === 'shown' && <CopyButton key={feed.address} text={feed.address} label="Copia" />}
          {feed.kind !== 'unknown' && (
            <>
              <Button variant="outline" size="sm" disabled={isBusy} onClick={() => void renew()}>
                Rigenera
              </Button>
              <Button variant="destructive" size="sm" disabled={isBusy} onClick={() => void close()}>
                Spegni
              </Button>
            </>
          )}
        </div>
      </DialogContent>
    </Dialog>
  )
}
