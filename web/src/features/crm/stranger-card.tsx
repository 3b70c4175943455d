/** Who writes is no contact: it becomes a new one, or another address of one that is there, or is left alone. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { ContactField } from '@/components/contact-field'
import { Button } from '@/components/ui/button'
import { contactSearchQuery, type FoundContact } from '@/data/contact-search'
import { emptyContact } from '@/data/contacts-form'
import { type MailThread, useGiveAddress, useIgnoreSender } from '@/data/inbox'
import { ContactForm } from '@/features/crm/contact-form'
import { DataError } from '@/lib/server-errors'

/** «Anna Maria Neri» → first and last name, as they may be corrected in the form. */
function contactOf(name: string, address: string) {
  const words = name.split(/\s+/).filter(Boolean)
  return {
    ...emptyContact('persona'),
    firstName: words.length > 1 ? words.slice(0, -1).join(' ') : (words[0] ?? ''),
    lastName: words.length > 1 ? (words.at(-1) ?? '') : '',
    emails: [{ value: address }],
  }
}

type Props = { userId: string; thread: MailThread & { party: string } }

export function StrangerCard({ userId, thread: { id, party, party_name: name } }: Props) {
  const [isAdding, setAdding] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const give = useGiveAddress(userId)
  const ignore = useIgnoreSender(userId)
  const { data: named = [] } = useQuery({ ...contactSearchQuery(userId, name ?? ''), enabled: Boolean(name) })
  const same = named.find((contact) => contact.name.toLocaleLowerCase('it') === name?.toLocaleLowerCase('it'))

  async function onGive({ id: contactId, name: whose }: FoundContact) {
    try {
      await give.mutateAsync({ contactId, address: party })
      toast.success(`${party} è ora fra gli indirizzi di ${whose}`)
    } catch (failure) {
      const isTaken = failure instanceof DataError && failure.code === '23505'
      toast.error(isTaken ? 'Questo indirizzo è già di un altro contatto' : 'Non siamo riusciti a salvare: riprova')
    }
  }

  return (
    <section aria-label="Mittente nuovo" className="grid gap-3 rounded-lg border p-3 text-sm">
      <p className="break-words">
        <span className="font-medium">{name ?? party}</span> non è fra i tuoi contatti
        {name && <span className="text-muted-foreground"> ({party})</span>}.
      </p>
      <div className="flex flex-wrap gap-2">
        {same && (
          <Button size="sm" disabled={give.isPending} onClick={() => void onGive(same)}>
            È {same.name}
          </Button>
        )}
        <Button variant={same ? 'outline' : 'default'} size="sm" onClick={() => setAdding(true)}>
          Nuovo contatto
        </Button>
        <Button variant="outline" size="sm" aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
          È qualcuno che conosco
        </Button>
        <Button
          variant="ghost"
          size="sm"
          disabled={ignore.isPending}
          onClick={() => ignore.mutate(id, { onError: () => toast.error('Non siamo riusciti a salvare: riprova') })}
        >
          Non aggiungere
        </Button>
      </div>
      {isChoosing && (
        <ContactField
          userId={userId}
          label="Di chi è questo indirizzo?"
          value={null}
          onChoose={(contact) => contact && void onGive(contact)}
        />
      )}
      {isAdding && (
        <ContactForm
          userId={userId}
          values={contactOf(name ?? '', party)}
          onSaved={(_id, saved) => {
            setAdding(false)
            toast.success('Contatto aggiunto', { description: saved })
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  )
}
