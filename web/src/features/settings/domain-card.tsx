/** Whether mails from the person's domain are believed: SPF, DKIM and DMARC, and what to set. */
import { useQuery } from '@tanstack/react-query'
import { CircleAlertIcon, CircleCheckIcon, CircleHelpIcon } from 'lucide-react'
import { useState } from 'react'

import { CopyButton } from '@/components/copy-button'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import { type DomainCheck, mailDomainQuery } from '@/data/mail'
import { FunctionError } from '@/lib/server-errors'
import { domainStates } from '@/strings/mail'

const looks = {
  ok: [CircleCheckIcon, 'text-success'],
  weak: [CircleAlertIcon, 'text-warning'],
  missing: [CircleAlertIcon, 'text-error'],
  wrong: [CircleAlertIcon, 'text-error'],
  unknown: [CircleHelpIcon, 'text-muted-foreground'],
} as const

export function DomainCard({ address }: { address: string }) {
  const [isAsked, setAsked] = useState(false)
  const { data, error, isFetching, refetch } = useQuery({ ...mailDomainQuery(address), enabled: isAsked })
  return (
    <Card>
      <CardHeader>
        <CardTitle>Il tuo dominio</CardTitle>
        <CardDescription>
          Chi riceve controlla tre voci del DNS di {address.slice(address.lastIndexOf('@') + 1)}: se mancano, le tue
          email finiscono più spesso nello spam.
        </CardDescription>
      </CardHeader>
      {data?.is_provider && (
        <p role="status" className="text-sm">
          Il dominio è del tuo fornitore, che se ne occupa da solo: non devi fare nulla.
        </p>
      )}
      {data && !data.is_provider && (
        <ul aria-label="Voci del DNS" className="divide-y">
          {data.checks.map((check) => (
            <CheckRow key={check.kind} check={check} />
          ))}
        </ul>
      )}
      {error && (
        <p role="alert" className="text-sm text-error">
          {error instanceof FunctionError ? error.message : 'Non riusciamo a controllare il dominio: riprova'}
        </p>
      )}
      <Button
        variant="outline"
        className="self-start"
        disabled={isFetching}
        onClick={() => (isAsked ? void refetch() : setAsked(true))}
      >
        {isFetching && <Spinner aria-hidden />}
        {data ? 'Controlla di nuovo' : 'Controlla il dominio'}
      </Button>
    </Card>
  )
}

function CheckRow({ check: { kind, state, found, advice, name, value } }: { check: DomainCheck }) {
  const [Icon, color] = looks[state]
  return (
    <li className="flex gap-3 py-3 text-sm">
      <Icon aria-hidden className={`size-5 shrink-0 ${color}`} />
      <div className="grid min-w-0 gap-1">
        <p className="font-medium">
          {kind.toUpperCase()}: {domainStates[state]}
        </p>
        <p className="text-pretty">{advice}</p>
        {found && <p className="font-mono text-xs break-all text-muted-foreground">{found}</p>}
        {value && (
          <div className="grid justify-items-start gap-1 rounded-md bg-muted p-2">
            <p className="text-xs">
              Record TXT, nome <span className="font-mono break-all">{name}</span>, valore:
            </p>
            <p className="font-mono text-xs break-all">{value}</p>
            <CopyButton text={value} label="Copia il valore" />
          </div>
        )}
      </div>
    </li>
  )
}
