import { useQuery } from '@tanstack/react-query'
import { ChevronDownIcon } from 'lucide-react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type PersonalFigures, personalFiguresQuery } from '@/data/privacy'
import { paths } from '@/paths'
import { formatBytes } from '@/strings/files'
import { formatCount } from '@/strings/numbers'
import { dataDomain } from '@/strings/privacy'

/** «I tuoi dati in numeri»: how much is held, why, until when, and where it is seen and corrected. */
export function FiguresCard() {
  const { id: userId } = useUser()
  const { data: figures, isPending, isError, refetch } = useQuery(personalFiguresQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>I tuoi dati in numeri</CardTitle>
        <CardDescription>
          Quello che Socio conserva, su server nell’Unione europea. Ogni riga la leggi solo tu: lo garantisce il
          database.
        </CardDescription>
      </CardHeader>
      {/* As high as what comes, so that nothing below moves. */}
      {isPending && <Skeleton aria-busy className="h-128" />}
      {isError && !figures && (
        <LoadError text="Non riusciamo a contare i tuoi dati in questo momento." onRetry={() => void refetch()} />
      )}
      {figures && (
        <>
          <ul aria-label="I tuoi dati in numeri" className="divide-y">
            {figures.domains.map((domain) => (
              <DomainRow key={domain.domain} {...domain} />
            ))}
            <li className="flex min-h-13 items-center justify-between gap-4 py-1 text-sm">
              <span className="font-medium">File originali</span>
              <span className="pr-[26px] text-muted-foreground tabular">
                {formatCount(figures.files.count)} · {formatBytes(figures.files.bytes)}
              </span>
            </li>
          </ul>
          <details className="text-sm">
            <summary className="flex min-h-11 cursor-pointer items-center underline underline-offset-2">
              Che cosa non è contato, e perché
            </summary>
            <ul className="grid list-disc gap-1 pl-5 text-muted-foreground">
              {figures.left_out.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </details>
          <p className="text-sm">
            <Link to={paths.settingsData} className="underline underline-offset-2">
              Scarica tutto, leggi per quanto lo teniamo o elimina l’account
            </Link>
          </p>
        </>
      )}
    </Card>
  )
}

function DomainRow({ domain, basis, tables, rules }: PersonalFigures['domains'][number]) {
  const { title, place } = dataDomain(domain)
  return (
    <li className="py-1 first:pt-0">
      <details className="group">
        <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-4 text-sm">
          <span className="font-medium">{title}</span>
          <span className="flex items-center gap-2 text-muted-foreground tabular">
            {formatCount(tables.reduce((sum, { count }) => sum + count, 0))}
            <ChevronDownIcon aria-hidden className="size-[18px] transition-transform group-open:rotate-180" />
          </span>
        </summary>
        <div className="grid gap-3 pb-3 text-sm">
          <ul className="grid gap-1 pr-[26px] text-muted-foreground">
            {tables.map(({ label, count }) => (
              <li key={label} className="flex justify-between gap-4">
                <span>{label}</span>
                <span className="tabular">{formatCount(count)}</span>
              </li>
            ))}
          </ul>
          <dl className="grid gap-2">
            <div>
              <dt className="font-medium">Base giuridica</dt>
              <dd className="text-muted-foreground">{basis}</dd>
            </div>
            <div>
              <dt className="font-medium">Fino a quando</dt>
              {rules.map((rule) => (
                <dd key={rule.title} className="text-muted-foreground">
                  {rule.title}: {rule.period}
                </dd>
              ))}
              <dd className="text-muted-foreground">
                {rules.length > 0 ? 'Il resto: finché' : 'Finché'} non lo elimini, o finché hai l’account
              </dd>
            </div>
          </dl>
          <Link to={place.to} className="justify-self-start underline underline-offset-2">
            {place.text}
          </Link>
        </div>
      </details>
    </li>
  )
}
