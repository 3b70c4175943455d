/** /settings/privacy?cliente=…: everything about one contact, as a copy, and erased with a certificate. */
import { useQuery } from '@tanstack/react-query'
import { ChevronDownIcon, PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'

import { ContactCopy } from '@/components/contact-copy'
import { LoadError } from '@/components/load-error'
import { SettingsScreen } from '@/components/settings-screen'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { openRequestsQuery } from '@/data/contact-requests'
import { type Erasure, type Finding, findingsQuery } from '@/data/contact-rights'
import { ErasureCard, ErasureDone } from '@/features/settings/erasure-card'
import { RegisterRequestDialog } from '@/features/settings/register-request-dialog'
import { RequestEntry } from '@/features/settings/request-entry'
import { paths } from '@/paths'
import { rightsDomains } from '@/strings/contact-requests'
import { shortDate } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'

/** Where a row is opened. */
const places: Record<string, (id: string) => string> = {
  documents: paths.document,
  tasks: paths.task,
  deals: paths.crmDeal,
  projects: paths.project,
}

export function ContactRights({ contactId }: { contactId: string }) {
  const { id: userId } = useUser()
  const [erased, setErased] = useState<Erasure | null>(null)
  const query = useQuery({ ...findingsQuery(userId, contactId), enabled: erased === null })
  return (
    <SettingsScreen title="Diritti e dati">
      {erased ? (
        <ErasureDone erasure={erased} />
      ) : query.isPending ? (
        <Skeleton aria-busy className="h-96" />
      ) : query.data ? (
        <Found userId={userId} contactId={contactId} findings={query.data} onErased={setErased} />
      ) : query.isError ? (
        <LoadError
          text="Non riusciamo a cercare i dati di questo contatto in questo momento."
          onRetry={() => void query.refetch()}
        />
      ) : (
        <p className="text-sm text-muted-foreground">
          Questo contatto non c’è più.{' '}
          <Link to={paths.settingsPrivacy} className="font-medium underline">
            Vedi le richieste e i certificati
          </Link>
        </p>
      )}
    </SettingsScreen>
  )
}

type FoundProps = {
  userId: string
  contactId: string
  findings: Finding[]
  onErased: (erasure: Erasure) => void
}

function Found({ userId, contactId, findings, onErased }: FoundProps) {
  const name = findings.find(({ place }) => place === 'contacts')?.newest[0]?.text ?? 'Contatto'
  const held = findings.filter(({ domain }) => domain !== 'forse')
  const maybe = findings.filter(({ domain }) => domain === 'forse')
  return (
    <>
      <Card>
        <CardHeader>
          <CardTitle>{name}</CardTitle>
          <CardDescription>
            Tutto quello che Socio ha collegato a questo contatto. La copia lo contiene per intero; prima di darla,
            rileggi le tue note.
          </CardDescription>
        </CardHeader>
        <div className="flex flex-wrap gap-2">
          <ContactCopy id={contactId} name={name} />
          <Button variant="outline" size="sm" asChild>
            <Link to={paths.crmContact(contactId)}>Correggi la scheda</Link>
          </Button>
        </div>
        <div>
          {Object.entries(rightsDomains).map(([domain, title]) => (
            <Domain key={domain} title={title} findings={held.filter((each) => each.domain === domain)} />
          ))}
        </div>
      </Card>
      <Requests userId={userId} contact={{ id: contactId, name }} />
      {maybe.length > 0 && (
        <Card>
          <CardHeader>
            <CardTitle>Potrebbe riguardare {name}</CardTitle>
            <CardDescription>
              Ne fa il nome, l’email o un numero, ma non è collegato: decidi tu. Non è nella copia; se collegi un
              documento o una fattura, ci entra.
            </CardDescription>
          </CardHeader>
          <Places findings={maybe} />
        </Card>
      )}
      <ErasureCard contactId={contactId} name={name} findings={findings} onErased={onErased} />
    </>
  )
}

function Requests({ userId, contact }: { userId: string; contact: { id: string; name: string } }) {
  const [isRegistering, setRegistering] = useState(false)
  const { data = [] } = useQuery(openRequestsQuery(userId))
  const own = data.filter(({ contact_id: id }) => id === contact.id)
  return (
    <Card>
      <CardHeader>
        <CardTitle>Richieste aperte</CardTitle>
        {own.length === 0 && <CardDescription>Nessuna. Se ha chiesto qualcosa, registralo.</CardDescription>}
      </CardHeader>
      {own.length > 0 && (
        <ul aria-label="Richieste aperte" className="divide-y">
          {own.map((request) => (
            <RequestEntry key={request.id} request={request} isOnPage />
          ))}
        </ul>
      )}
      <Button variant="outline" className="self-start" onClick={() => setRegistering(true)}>
        <PlusIcon aria-hidden /> Registra una richiesta
      </Button>
      {isRegistering && (
        <RegisterRequestDialog userId={userId} contact={contact} onClose={() => setRegistering(false)} />
      )}
    </Card>
  )
}

function Domain({ title, findings }: { title: string; findings: Finding[] }) {
  if (findings.length === 0) return null
  return (
    <section aria-label={title} className="border-t py-3 first:border-t-0">
      <h3 className="text-sm font-semibold">{title}</h3>
      <Places findings={findings} />
    </section>
  )
}

function Places({ findings }: { findings: Finding[] }) {
  return (
    <ul>
      {findings.map(({ place, fate, label, found, newest }) => (
        <li key={`${place} ${fate}`}>
          <details className="group">
            <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-4 text-sm">
              <span>
                {label}
                {place === 'documents' && fate === 'resta' && ' da conservare'}
              </span>
              <span className="flex items-center gap-2 text-muted-foreground tabular">
                {formatCount(found)}
                <ChevronDownIcon aria-hidden className="size-[18px] transition-transform group-open:rotate-180" />
              </span>
            </summary>
            <ul className="grid gap-1 pb-2 text-sm text-muted-foreground">
              {newest.map(({ id, at, text }, index) => (
                <li key={id ?? index} className="flex justify-between gap-4">
                  <span className="line-clamp-2 min-w-0 break-words">
                    {id && places[place] ? (
                      <Link to={places[place](id)} className="underline hover:text-foreground">
                        {text}
                      </Link>
                    ) : (
                      text
                    )}
                  </span>
                  {at && <span className="shrink-0 tabular">{shortDate(at)}</span>}
                </li>
              ))}
              {found > newest.length && <li>e altri {formatCount(found - newest.length)}</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  )
}
