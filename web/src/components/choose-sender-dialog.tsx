/** Asks a person who has no mailbox connected from where to write. */
import { Link } from 'react-router'

import { MailLoginButtons } from '@/components/mail-login-buttons'
import { SharedOffer } from '@/components/shared-offer'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import type { SharedSender } from '@/data/mail'
import { paths } from '@/paths'

type Props = { userId: string; shared: SharedSender; onClose: () => void }

export default function ChooseSenderDialog({ userId, shared, onClose }: Props) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Da dove vuoi scrivere?</DialogTitle>
          <DialogDescription>
            Puoi cominciare subito tramite Socio, senza password, e collegare la tua casella quando vuoi.
          </DialogDescription>
        </DialogHeader>
        <SharedOffer userId={userId} shared={shared} />
        <MailLoginButtons userId={userId} />
        <Button variant="outline" asChild className="justify-self-start">
          <Link to={paths.settingsChannels} data-stays>
            Collega la tua casella
          </Link>
        </Button>
      </DialogContent>
    </Dialog>
  )
}
