/** «Richieste dei tuoi clienti»: what clients asked about their data, until when to answer, and what was answered. */
import { useQuery } from '@tanstack/react-query'
import { FileCheckIcon, InboxIcon, PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { openRequestsQuery, pastRequestsQuery } from '@/data/contact-requests'
import { erasureCertificate } from '@/data/contact-rights'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { RegisterRequestDialog } from '@/features/settings/register-request-dialog'
import { RequestEntry } from '@/features/settings/request-entry'
import { saveBlob } from '@/lib/save-file'
import { requestKinds, requestOutcomes } from '@/strings/contact-requests'
import { dayAndMonth } from '@/strings/dates'

export function ClientRequestsCard() {
  const { id: userId } = useUser()
  const [isRegistering, setRegistering] = useState(false)
  const query = useQuery(openRequestsQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Richieste dei tuoi clienti</CardTitle>
        <CardDescription>
          Dei dati dei tuoi clienti il titolare sei tu: se uno chiede che cosa hai, una copia o di cancellarli, rispondi
          entro un mese (art. 12 GDPR). Socio conta i giorni e trova tutto.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Richieste aperte"
        empty="Nessuna richiesta aperta."
        error="Non riusciamo a leggere le richieste in questo momento."
        renderRow={(request) => <RequestEntry key={request.id} request={request} />}
      />
      <Button variant="outline" className="self-start" onClick={() => setRegistering(true)}>
        <PlusIcon aria-hidden /> Registra una richiesta
      </Button>
      <Past userId={userId} />
      {isRegistering && <RegisterRequestDialog userId={userId} onClose={() => setRegistering(false)} />}
    </Card>
  )
}

async function printCertificate(id: string, initials: string) {
  try {
    saveBlob(`Certificato di cancellazione ${initials}.pdf`, await erasureCertificate(id))
  } catch {
    toast.error('Non siamo riusciti a preparare il certificato: riprova')
  }
}

/** What was closed and erased; nothing while there is none. */
function Past({ userId }: { userId: string }) {
  const { data } = useQuery(pastRequestsQuery(userId))
  if (!data || data.closed.length + data.erasures.length === 0) return null

  return (
    <details className="group">
      <summary className="flex min-h-11 cursor-pointer items-center text-sm font-medium">Chiuse e cancellate</summary>
      <ul aria-label="Richieste chiuse" className="divide-y">
        {data.closed.map((request) => (
          <Entry
            key={request.id}
            icon={InboxIcon}
            title={`${request.contact_name}: ${requestKinds[request.kind].toLowerCase()}`}
            text={`${request.outcome ? requestOutcomes[request.outcome] : ''} il ${dayAndMonth(request.closed_at ?? '')}${request.note ? ` · ${request.note}` : ''}`}
          />
        ))}
        {data.erasures.map(({ id, initials, created_at: at }) => (
          <Entry key={id} icon={FileCheckIcon} title={`Cancellato: ${initials}`} text={dayAndMonth(at)}>
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Certificato di ${initials}`}
              onClick={() => void printCertificate(id, initials)}
            >
              Certificato
            </Button>
          </Entry>
        ))}
      </ul>
    </details>
  )
}
