/** Who the document is from or for: the suggestion or the automatic link with its reason, or the contact that was chosen. */
import { UserPlusIcon } from 'lucide-react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { useLinkContact, useMakeContact, useRefuseContact, type WholeDocument } from '@/data/document'
import { paths } from '@/paths'

type Props = { document: WholeDocument; userId: string }

const failed = () => toast.error('Non siamo riusciti a salvare il contatto: riprova')

export function ContactCard({ document, userId }: Props) {
  const { id, contact, suggested, contact_reason: reason, supplier } = document
  const link = useLinkContact(userId, id)
  const refuse = useRefuseContact(userId, id)
  const make = useMakeContact(userId, id)

  function unlink() {
    refuse.mutate(undefined, {
      onError: failed,
      onSuccess: () =>
        toast.success('Contatto scollegato', {
          action: { label: 'Annulla', onClick: () => contact && link.mutate(contact, { onError: failed }) },
        }),
    })
  }

  return (
    <Card className="gap-3">
      <CardTitle>Contatto</CardTitle>
      {!contact && suggested && (
        <div className="grid gap-2 rounded-md bg-secondary px-3 py-3 text-sm text-secondary-foreground">
          <p>
            Forse è <strong className="font-semibold">{suggested.name}</strong>
            {reason && `: ${reason}`}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => link.mutate(suggested, { onError: failed })}>
              Collega
            </Button>
            <Button size="sm" variant="outline" onClick={() => refuse.mutate(undefined, { onError: failed })}>
              Non è lui
            </Button>
          </div>
        </div>
      )}
      {!contact && !suggested && supplier?.name && (
        <div className="grid gap-2 rounded-md bg-secondary px-3 py-3 text-sm text-secondary-foreground">
          <p>
            <strong className="font-semibold">{supplier.name}</strong> non è tra i tuoi contatti
            {supplier.vat_number && ` (P.IVA ${supplier.vat_number})`}.
          </p>
          <Button
            size="sm"
            className="justify-self-start"
            disabled={make.isPending}
            onClick={() =>
              make.mutate(undefined, {
                onSuccess: () => toast.success('Contatto creato', { description: supplier.name }),
                onError: failed,
              })
            }
          >
            <UserPlusIcon aria-hidden /> Crea contatto
          </Button>
        </div>
      )}
      <ContactField
        userId={userId}
        label={contact ? 'Collegato a' : 'Scegli un contatto'}
        value={contact}
        onChoose={(chosen) => {
          if (chosen) link.mutate(chosen, { onError: failed })
          else unlink()
        }}
      />
      {contact && reason && (
        <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-secondary px-3 py-2 text-sm text-secondary-foreground">
          <p>{reason}</p>
          <Button size="sm" variant="outline" disabled={refuse.isPending} onClick={unlink}>
            Annulla
          </Button>
        </div>
      )}
      {contact && (
        <Link
          to={paths.crmContact(contact.id)}
          className="inline-flex min-h-11 items-center text-sm font-medium text-primary hover:underline"
        >
          Apri la scheda di {contact.name}
        </Link>
      )}
    </Card>
  )
}
