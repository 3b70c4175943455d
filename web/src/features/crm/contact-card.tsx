/** Who a contact is: name, channels, fiscal data, tags, and when to be in touch again. */
import { Building2Icon, EllipsisIcon, MailIcon, PencilIcon, PhoneIcon, Trash2Icon, UserIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { toast } from 'sonner'

import { AskAssistant } from '@/components/ask-assistant'
import { PhoneNumber } from '@/components/phone-number'
import { SendMailButton } from '@/components/send-mail-button'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { useSaveContact, type WholeContact } from '@/data/contacts'
import { type ContactChange, valuesOf } from '@/data/contacts-form'
import { Cadence } from '@/features/crm/cadence-choice'
import { ConsentPills } from '@/features/crm/consent-pills'
import { ContactForm } from '@/features/crm/contact-form'
import { useDeletion } from '@/features/crm/use-deletion'
import { ViesCheck } from '@/features/crm/vies-check'
import { isItaly } from '@/lib/countries'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'
import { contactOrigins } from '@/strings/crm'

type Props = {
  contact: WholeContact
  userId: string
  /** Not in the trash, nor part of another contact. */
  isEditable: boolean
}

export function ContactCard({ contact, userId, isEditable }: Props) {
  const [isEditing, setEditing] = useState(false)
  const navigate = useNavigate()
  const remove = useDeletion()
  const save = useSaveContact()
  useShortcut('e', () => setEditing(isEditable))
  const isCompany = contact.type === 'azienda'
  const Icon = isCompany ? Building2Icon : UserIcon

  function onSaved(id: string, _name: string, undo: ContactChange) {
    setEditing(false)
    // Not a callback of `mutate`: the page may be left by then.
    const takeBack = () =>
      save.mutateAsync({ id, contact: undo }).catch(() => toast.error('Non siamo riusciti ad annullare: riprova'))
    toast.success('Contatto salvato', { action: { label: 'Annulla', onClick: () => void takeBack() } })
  }

  return (
    <Card className="grid gap-5">
      <div className="flex items-start gap-3">
        <span className="grid size-11 shrink-0 place-items-center rounded-full bg-secondary text-secondary-foreground">
          <Icon aria-hidden className="size-5" />
        </span>
        <div className="grid min-w-0 flex-1 gap-0.5">
          <h1 className="text-xl font-semibold break-words">{contact.name}</h1>
          <p className="text-sm break-words text-muted-foreground">
            {[contact.job_title, contact.listed?.company_name].filter(Boolean).join(' · ') ||
              (isCompany ? 'Azienda' : 'Persona')}
          </p>
        </div>
        {isEditable && (
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button
                variant="ghost"
                size="icon"
                className="-mt-1 -mr-2 shrink-0"
                aria-label={`Azioni per ${contact.name}`}
              >
                <EllipsisIcon aria-hidden />
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent align="end">
              <DropdownMenuItem onSelect={() => setEditing(true)}>
                <PencilIcon /> Modifica
              </DropdownMenuItem>
              <DropdownMenuItem
                onSelect={() => {
                  remove([contact.id], contact.name)
                  void navigate(paths.crm)
                }}
              >
                <Trash2Icon /> Elimina
              </DropdownMenuItem>
            </DropdownMenuContent>
          </DropdownMenu>
        )}
      </div>
      <Channels contact={contact} />
      {contact.listed && contact.listed.tags.length > 0 && (
        <ul aria-label="Tag" className="flex flex-wrap gap-1.5">
          {contact.listed.tags.map((tag) => (
            <li key={tag}>
              <Badge variant="outline">{tag}</Badge>
            </li>
          ))}
        </ul>
      )}
      {contact.note && <p className="text-sm break-words whitespace-pre-wrap">{contact.note}</p>}
      {isEditable && <Cadence contact={contact} />}
      <FiscalData contact={contact} />
      <AskAssistant question={`Riassumi ${contact.name}`} />
      {isEditable && contact.emails.length > 0 && (
        <SendMailButton label="Scrivi" letter={{ contactId: contact.id, recipient: null, subject: '', body: '' }} />
      )}
      {isEditable && (
        <Button variant="outline" aria-keyshortcuts="e" onClick={() => setEditing(true)}>
          <PencilIcon aria-hidden /> Modifica
        </Button>
      )}
      {isEditing && (
        <ContactForm
          userId={userId}
          id={contact.id}
          values={valuesOf(contact)}
          onSaved={onSaved}
          onClose={() => setEditing(false)}
        />
      )}
    </Card>
  )
}

function Channels({ contact: { emails, phones, listed, website } }: { contact: WholeContact }) {
  if (emails.length + phones.length === 0 && !website) return null
  return (
    <div className="grid gap-1 text-sm">
      {emails.map(({ id, value }) => (
        <a key={id} href={`mailto:${value}`} className="flex min-h-11 min-w-0 items-center gap-2.5 hover:underline">
          <MailIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <span className="truncate">{value}</span>
        </a>
      ))}
      {phones.map(({ id, norm }) => (
        <span key={id} className="flex min-h-11 items-center gap-2.5">
          <PhoneIcon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <PhoneNumber value={norm} className="inline-flex min-h-11 items-center tabular hover:underline" />
        </span>
      ))}
      {website && (
        <a href={website} target="_blank" rel="noreferrer" className="flex min-h-11 items-center truncate underline">
          {website.replace(/^https?:\/\//, '').replace(/\/$/, '')}
        </a>
      )}
      {listed && <ConsentPills consents={listed.consents} />}
    </div>
  )
}

type Address = Partial<Record<'street' | 'postal_code' | 'city' | 'province' | 'country', string | null>>

function FiscalData({ contact }: { contact: WholeContact }) {
  const address = (contact.address ?? {}) as Address
  const place = [address.postal_code, address.city, address.province && `(${address.province})`]
    .filter(Boolean)
    .join(' ')
  return (
    <dl className="grid gap-2 border-t pt-4 text-sm">
      <Fact label="P.IVA" value={contact.vat_number} />
      <ViesCheck contact={contact} />
      <Fact label="Codice fiscale" value={contact.tax_code} />
      <Fact label="Codice SDI" value={contact.sdi_code} />
      <Fact label="PEC" value={contact.pec} />
      <Fact label="Regime" value={contact.regime} />
      <Fact
        label="Indirizzo"
        value={[address.street, place, !isItaly(address.country ?? '') && address.country].filter(Boolean).join(', ')}
      />
      <Fact label="Origine" value={contactOrigins[contact.origin]} />
    </dl>
  )
}

/** One click selects the value, to be copied. */
function Fact({ label, value }: { label: string; value: string | null }): ReactNode {
  if (!value) return null
  return (
    <div className="flex min-w-0 items-center gap-2">
      <dt className="w-28 shrink-0 text-muted-foreground">{label}</dt>
      <dd className="min-w-0 flex-1 break-words select-all tabular">{value}</dd>
    </div>
  )
}
