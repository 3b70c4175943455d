/** /crm/doppioni: pairs of contacts that may be one, and the merges that can still be undone. */
import { useQuery } from '@tanstack/react-query'
import { ListChecksIcon, UsersIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { CrmHeader } from '@/components/crm-header'
import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type ComparedContact, mergesQuery, type Pair, pairsQuery, twoQuery, useTellApart } from '@/data/duplicates'
import { BulkMerge } from '@/features/crm-duplicates/bulk-merge'
import { likelihood, reasonText, summary, SURE } from '@/features/crm-duplicates/fields'
import { MergeDialog } from '@/features/crm-duplicates/merge-dialog'
import { useTakeApart } from '@/features/crm-duplicates/use-take-apart'
import { paths } from '@/paths'
import { relativeTime } from '@/strings/dates'

const UNDO_MS = 8_000
const onError = () => toast.error('Non siamo riusciti a salvare la tua scelta: riprova.')
const pairId = ({ first, second }: Pair) => `${first.id}-${second.id}`

export default function DuplicatesPage() {
  const { id: userId } = useUser()
  const pairs = useQuery(pairsQuery(userId))
  const [merging, setMerging] = useState<Pair | null>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const sure = pairs.data?.filter(({ score }) => score >= SURE) ?? []

  function onChoose(id: string) {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }

  return (
    <div className="column grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-6 py-6 sm:py-8">
      <PageTitle>Doppioni</PageTitle>
      <CrmHeader title="Possibili doppioni" />
      {pairs.isPending && <Loading />}
      {pairs.isError && !pairs.data && (
        <LoadError
          text="Non riusciamo a cercare i doppioni. I tuoi contatti sono al sicuro: riprova tra un momento."
          onRetry={() => void pairs.refetch()}
        />
      )}
      {pairs.data?.length === 0 && <Empty />}
      {pairs.data && pairs.data.length > 0 && (
        <>
          {sure.length > 1 && (
            <Button
              variant="outline"
              className="justify-self-start"
              onClick={() => setChosen(new Set([...chosen, ...sure.map(pairId)]))}
            >
              <ListChecksIcon aria-hidden /> Scegli le {sure.length} coppie quasi certe
            </Button>
          )}
          <ul aria-label="Possibili doppioni" className="grid gap-4">
            {pairs.data.map((pair) => (
              <PairCard
                key={pairId(pair)}
                pair={pair}
                isChosen={chosen.has(pairId(pair))}
                onChoose={() => onChoose(pairId(pair))}
                onCompare={() => setMerging(pair)}
              />
            ))}
          </ul>
          <BulkMerge
            pairs={pairs.data.filter((pair) => chosen.has(pairId(pair)))}
            onClear={() => setChosen(new Set())}
          />
        </>
      )}
      <Merges userId={userId} />
      {merging && <MergeDialog pair={merging} onClose={() => setMerging(null)} />}
      <ChosenTwo />
    </div>
  )
}

/** Two that were chosen in the list, whom nobody has proposed; afterwards the list comes back. */
function ChosenTwo() {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const { id: userId } = useUser()
  const ids = (params.get('unisci') ?? '').split(',').filter(Boolean)
  const { data: two } = useQuery({ ...twoQuery(userId, ids), enabled: ids.length === 2 })
  return two ? <MergeDialog pair={two} onClose={() => void navigate(paths.crm)} /> : null
}

type CardProps = { pair: Pair; isChosen: boolean; onChoose: () => void; onCompare: () => void }

function PairCard({ pair, isChosen, onChoose, onCompare }: CardProps) {
  const tellApart = useTellApart()
  const { first, second, score, reasons } = pair
  const apart = first.type === 'persona' ? 'Non sono la stessa persona' : 'Non sono la stessa azienda'

  function onApart() {
    const undo = () => tellApart.mutate({ pair, isDistinct: false }, { onError })
    const onSuccess = () =>
      toast('Non te li proporremo più', {
        description: `${first.name} e ${second.name}`,
        duration: UNDO_MS,
        action: { label: 'Annulla', onClick: undo },
      })
    tellApart.mutate({ pair, isDistinct: true }, { onSuccess, onError })
  }

  return (
    <Card className="gap-3" role="listitem">
      <div className="flex flex-wrap items-center gap-2">
        <label className="-my-2 -ml-2 grid size-11 shrink-0 cursor-pointer place-items-center">
          <input
            type="checkbox"
            checked={isChosen}
            onChange={onChoose}
            aria-label={`Scegli ${first.name} e ${second.name}`}
            className="size-4 accent-primary"
          />
        </label>
        <Badge variant="secondary">{likelihood(score)}</Badge>
        <span className="text-sm text-muted-foreground">{reasons.map(reasonText).join(', ')}</span>
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {[first, second].map((contact) => (
          <Side key={contact.id} contact={contact} />
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onCompare} aria-label={`Confronta e unisci ${first.name} e ${second.name}`}>
          Confronta e unisci
        </Button>
        <Button variant="outline" disabled={tellApart.isPending} onClick={onApart}>
          {apart}
        </Button>
      </div>
    </Card>
  )
}

function Side({ contact }: { contact: ComparedContact }) {
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-md bg-muted p-3 text-sm">
      <Link to={paths.crmContact(contact.id)} className="font-medium break-words underline-offset-4 hover:underline">
        {contact.name}
      </Link>
      {summary(contact).map((line) => (
        <span key={line} className="break-words text-muted-foreground">
          {line}
        </span>
      ))}
      <span className="text-xs text-muted-foreground">aggiunto {relativeTime(contact.created_at)}</span>
    </div>
  )
}

/** What was merged within thirty days, for those whose toast is gone. */
function Merges({ userId }: { userId: string }) {
  const { data } = useQuery(mergesQuery(userId))
  const takeApart = useTakeApart()
  if (!data || data.length === 0) return null
  return (
    <section aria-labelledby="unioni" className="grid gap-3">
      <h2 id="unioni" className="text-sm font-medium text-muted-foreground">
        Unioni degli ultimi 30 giorni
      </h2>
      <ul className="divide-y rounded-md border bg-card">
        {data.map(({ id, loser_name, winner, created_at }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-2 py-2 pr-2 pl-4 text-sm">
            <span>
              «{loser_name}» è in «{winner?.name}», {relativeTime(created_at)}
            </span>
            <Button
              variant="ghost"
              aria-label={`Annulla unione di ${loser_name}`}
              disabled={takeApart.isPending}
              onClick={() => takeApart.run([id])}
            >
              Annulla unione
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Empty() {
  return (
    <EmptyState
      icon={UsersIcon}
      title="Nessun doppione"
      text="Quando due contatti si somigliano per nome, partita IVA o email li trovi qui, e decidi tu se unirli."
    />
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-4">
      {['a', 'b'].map((key) => (
        <Skeleton key={key} className="h-44" />
      ))}
    </div>
  )
}
