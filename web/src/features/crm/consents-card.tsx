/** What a contact allows, per channel and purpose, and the proof of every answer. */
import { useQuery } from '@tanstack/react-query'
import { PencilIcon } from 'lucide-react'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { consentsQuery } from '@/data/consents'
import { ConsentDialog } from '@/features/crm/consent-dialog'
import { consentChannels, consentPurposes, consentStates } from '@/strings/crm'
import { fullDate, shortDate } from '@/strings/dates'

export function ConsentsCard({ contactId, isEditable }: { contactId: string; isEditable: boolean }) {
  const { data, isPending, isError, refetch } = useQuery(consentsQuery(contactId))
  const [isOpen, setOpen] = useState(false)
  return (
    <Card>
      <CardTitle>Consensi</CardTitle>
      {isPending && <Skeleton aria-busy className="h-16" />}
      {isError && !data && <LoadError text="Non riusciamo a leggere i consensi." onRetry={() => void refetch()} />}
      {data?.now.length === 0 && (
        <p className="text-sm text-muted-foreground">
          Nessun consenso registrato: prima di scrivergli offerte, chiediglielo.
        </p>
      )}
      {data && data.now.length > 0 && (
        <ul className="grid gap-2 text-sm">
          {data.now.map(({ id, channel, purpose, state }) => (
            <li key={id} className="flex items-center justify-between gap-2">
              <span>
                {consentChannels[channel]} <span className="text-muted-foreground">· {consentPurposes[purpose]}</span>
              </span>
              <Badge variant={state === 'dato' ? 'secondary' : 'outline'}>{consentStates[state]}</Badge>
            </li>
          ))}
        </ul>
      )}
      {data && data.proofs.length > 0 && (
        <details className="text-sm">
          <summary className="flex min-h-11 cursor-pointer items-center font-medium">
            Prove ({data.proofs.length})
          </summary>
          <ol className="grid gap-3 border-l pl-3">
            {data.proofs.map((proof) => (
              <li key={proof.id} className="grid gap-0.5">
                <span className="font-medium">
                  {consentChannels[proof.channel]}, {consentPurposes[proof.purpose].toLowerCase()}:{' '}
                  {consentStates[proof.state].toLowerCase()}
                </span>
                <span className="text-muted-foreground">
                  <time dateTime={proof.at} title={fullDate(proof.at)}>
                    {shortDate(proof.at)}
                  </time>
                  {proof.source && ` · ${proof.source}`}
                  {proof.legal_basis && ` · ${proof.legal_basis}`}
                </span>
                {proof.wording && <q className="break-words text-muted-foreground">{proof.wording}</q>}
              </li>
            ))}
          </ol>
        </details>
      )}
      {isEditable && (
        <Button variant="outline" onClick={() => setOpen(true)}>
          <PencilIcon aria-hidden /> Registra una risposta
        </Button>
      )}
      {isOpen && <ConsentDialog contactId={contactId} onClose={() => setOpen(false)} />}
    </Card>
  )
}
