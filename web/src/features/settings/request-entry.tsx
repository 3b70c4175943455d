/** An open request of a client: what was asked, until when to answer, and what can be done. */
import { ClockAlertIcon, InboxIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { NameDialog } from '@/components/name-dialog'
import { Button } from '@/components/ui/button'
import { type ContactRequest, useExtendRequest } from '@/data/contact-requests'
import { CloseRequestDialog } from '@/features/settings/close-request-dialog'
import { Entry } from '@/features/settings/entry-list'
import { paths } from '@/paths'
import { countdown, requestKinds } from '@/strings/contact-requests'
import { dayAndMonth } from '@/strings/dates'

type Props = { request: ContactRequest; isOnPage?: boolean }

export function RequestEntry({ request, isOnPage = false }: Props) {
  const { id, contact_id: contactId, contact_name: name, kind } = request
  const [asking, setAsking] = useState<'extension' | 'end' | null>(null)
  const extend = useExtendRequest()
  const [now] = useState(() => new Date())
  const { text, isUrgent } = countdown(request.due_on, now)
  const isLate = text.startsWith('scaduta')
  const close = () => setAsking(null)
  return (
    <Entry
      icon={isUrgent ? ClockAlertIcon : InboxIcon}
      title={isOnPage ? requestKinds[kind] : `${name}: ${requestKinds[kind].toLowerCase()}`}
      text={
        <>
          <span className={isUrgent ? 'font-semibold text-error' : 'font-medium text-foreground'}>{text}</span>
          {' · ricevuta il '}
          {dayAndMonth(request.received_on)}
          {request.received_by && ` (${request.received_by})`}, rispondi entro il {dayAndMonth(request.due_on)}
          {request.extension_reason && ` · prolungata: ${request.extension_reason}`}
        </>
      }
    >
      {contactId && !isOnPage && (
        <Button variant="ghost" size="sm" asChild>
          <Link to={paths.contactRights(contactId)} aria-label={`Trova tutto di ${name}`}>
            Trova tutto
          </Link>
        </Button>
      )}
      {contactId && kind === 'rettifica' && (
        <Button variant="ghost" size="sm" asChild>
          <Link to={paths.crmContact(contactId)} aria-label={`Correggi i dati di ${name}`}>
            Correggi
          </Link>
        </Button>
      )}
      {!request.extended_at && !isLate && (
        <Button
          variant="ghost"
          size="sm"
          aria-label={`Prolunga la richiesta di ${name}`}
          onClick={() => setAsking('extension')}
        >
          Prolunga
        </Button>
      )}
      <Button variant="ghost" size="sm" aria-label={`Chiudi la richiesta di ${name}`} onClick={() => setAsking('end')}>
        Chiudi
      </Button>
      {asking === 'extension' && (
        <NameDialog
          title="Prolungare di due mesi?"
          text="Si può una volta, se la richiesta è complessa. Il motivo va detto al cliente entro il primo mese: scrivigli tu (art. 12.3 GDPR)."
          label="Motivo"
          submit="Prolunga"
          longest={1000}
          check={(reason) => (reason.length < 3 ? 'Scrivi il motivo' : '')}
          done="Richiesta prolungata di due mesi"
          onSubmit={(reason) => extend.mutateAsync({ id, reason })}
          onClose={close}
        />
      )}
      {asking === 'end' && <CloseRequestDialog requestId={id} onClose={close} />}
    </Entry>
  )
}
