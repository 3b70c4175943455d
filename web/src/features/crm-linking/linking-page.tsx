/** /crm/da-collegare: counterparties of papers without a contact, and the contact that each is. */
import { useQuery } from '@tanstack/react-query'
import { LinkIcon, UserPlusIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router'

import { CrmHeader } from '@/components/crm-header'
import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { type Party, partiesQuery } from '@/data/parties'
import { canBeNew, type Chosen, firstChoice } from '@/features/crm-linking/choices'
import { LinkingDialog } from '@/features/crm-linking/linking-dialog'
import { PartyRow } from '@/features/crm-linking/party-row'
import { useLinking } from '@/features/crm-linking/use-linking'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'

const SHOWN = 100

export default function LinkingPage() {
  const { id: userId } = useUser()
  const { data: parties, isPending, isError, refetch } = useQuery(partiesQuery(userId))
  return (
    <div className="column grid max-w-4xl grid-cols-[minmax(0,1fr)] gap-5 py-6 sm:py-8">
      <PageTitle>Da collegare</PageTitle>
      <CrmHeader title="Da collegare" />
      {isPending && <Loading />}
      {isError && !parties && (
        <LoadError
          text="Non riusciamo a leggere i documenti da collegare. I tuoi dati sono al sicuro: riprova tra un momento."
          onRetry={() => void refetch()}
        />
      )}
      {parties?.length === 0 && <Empty />}
      {parties && parties.length > 0 && <Parties parties={parties} userId={userId} />}
    </div>
  )
}

function Parties({ parties, userId }: { parties: Party[]; userId: string }) {
  const list = useRef<HTMLUListElement>(null)
  const linking = useLinking(userId)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen | null>>(new Map())
  const [shown, setShown] = useState(SHOWN)
  const [isAsking, setAsking] = useState(false)

  const choiceOf = (party: Party) => chosen.get(party.party_key) ?? firstChoice(party, chosen)
  const ready = parties.flatMap((party) => {
    const choice = choiceOf(party)
    return choice ? [{ party, choice }] : []
  })
  const open = parties.filter((party) => canBeNew(party) && !choiceOf(party))
  const choose = (key: string, choice: Chosen | null) => setChosen(new Map(chosen).set(key, choice))

  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])]
  /** The row that has the focus; -1 for none. */
  const place = () => rows().findIndex((row) => row.contains(document.activeElement))
  function focus(index: number) {
    const all = rows()
    const row = all[Math.min(Math.max(index, 0), all.length - 1)]
    ;(row?.querySelector<HTMLElement>(':checked') ?? row?.querySelector<HTMLElement>('input, button'))?.focus()
  }
  /** The next row takes the place of the one that goes, and the focus with it, unless it has moved meanwhile. */
  async function thenStay(work: Promise<void>) {
    const here = place()
    await work
    requestAnimationFrame(() => document.activeElement === document.body && focus(here))
  }
  function chooseCandidate(index: number) {
    const party = parties[place()]
    const candidate = party?.candidates[index]
    if (candidate) choose(party.party_key, { kind: 'contact', id: candidate.contact_id, name: candidate.name })
  }
  // Enter confirms, because a row is a form.
  useShortcut('j', () => focus(place() + 1))
  useShortcut('k', () => focus(place() - 1))
  useShortcut('1', () => chooseCandidate(0))
  useShortcut('2', () => chooseCandidate(1))
  useShortcut('3', () => chooseCandidate(2))
  useShortcut('n', () => {
    const party = parties[place()]
    if (party && canBeNew(party)) choose(party.party_key, { kind: 'new' })
  })
  useShortcut('x', () => {
    const party = parties[place()]
    if (party && !linking.isBusy) void thenStay(linking.dismiss(party))
  })

  return (
    <>
      <p className="text-sm text-muted-foreground">
        Questi nomi sono sui tuoi documenti, ma non sappiamo quale contatto sono. Quando li colleghi, anche i documenti
        che arriveranno si collegano da soli.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={ready.length === 0 || linking.isBusy} onClick={() => setAsking(true)}>
          <LinkIcon aria-hidden /> Conferma tutti ({ready.length})
        </Button>
        {open.length > 0 && (
          <Button
            variant="outline"
            onClick={() =>
              setChosen(new Map([...chosen, ...open.map(({ party_key: key }) => [key, { kind: 'new' }] as const)]))
            }
          >
            <UserPlusIcon aria-hidden /> Nuovo contatto per {open.length === 1 ? 'l’altro' : `gli altri ${open.length}`}
          </Button>
        )}
      </div>
      <ul ref={list} aria-label="Da collegare" className="grid gap-3">
        {parties.slice(0, shown).map((party) => (
          <PartyRow
            key={party.party_key}
            party={party}
            userId={userId}
            choice={choiceOf(party)}
            isBusy={linking.isBusy}
            onChoose={(choice) => choose(party.party_key, choice)}
            onConfirm={(choice) => void thenStay(linking.link([{ party, choice }]))}
            onDismiss={() => void thenStay(linking.dismiss(party))}
          />
        ))}
      </ul>
      {parties.length > shown && (
        <Button variant="outline" className="justify-self-center" onClick={() => setShown(shown + SHOWN)}>
          Mostra altre {Math.min(SHOWN, parties.length - shown)}
        </Button>
      )}
      <p className="text-xs text-muted-foreground max-sm:hidden">
        <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>1</Kbd>–<Kbd>3</Kbd> sceglie un contatto, <Kbd>n</Kbd> nuovo
        contatto, <Kbd>Invio</Kbd> conferma, <Kbd>x</Kbd> non è un contatto
      </p>
      {isAsking && (
        <LinkingDialog
          ready={ready}
          progress={linking.progress}
          onClose={() => setAsking(false)}
          onConfirm={() => void linking.link(ready).then(() => setAsking(false))}
        />
      )}
    </>
  )
}

function Empty() {
  return (
    <EmptyState
      icon={LinkIcon}
      title="Tutto collegato"
      text="Ogni documento che dice di chi è ha il suo contatto. Quelli nuovi si collegano da soli quando la partita IVA è di un tuo contatto."
    >
      <Button asChild variant="outline">
        <Link to={paths.documents}>Vai ai documenti</Link>
      </Button>
    </EmptyState>
  )
}

function Loading() {
  return (
    <div aria-busy className="grid gap-3">
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} className="h-36" />
      ))}
    </div>
  )
}
