/** What the list answers, in its four states, with the selection and the people to hear again. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchXIcon } from 'lucide-react'
import { useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { Skeleton } from '@/components/ui/skeleton'
import { contactsQuery, type ContactWish, FOUND_AT_MOST } from '@/data/contacts'
import { PartiesLine } from '@/components/parties-line'
import { DemoBanner, DueBanner, DuplicatesBanner } from '@/features/crm/banners'
import { ContactTable } from '@/features/crm/contact-table'
import { EmptyContacts } from '@/features/crm/empty-contacts'
import type { ListSettings } from '@/features/crm/list-settings'
import { SelectionBar } from '@/features/crm/selection-bar'

type Props = {
  userId: string
  wish: ContactWish
  settings: ListSettings
  onChange: (change: Partial<ContactWish>) => void
  onClear: () => void
  onAdd: () => void
}

export function ContactResults({ userId, wish, settings, onChange, onClear, onAdd }: Props) {
  const query = useInfiniteQuery({
    ...contactsQuery(userId, wish),
    // The last answer stays until the next one is there: a search does not flicker.
    placeholderData: (previous) => previous,
  })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const contacts = query.data ?? []
  const isNarrowed = wish.text !== '' || wish.filter.all.length > 0
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query

  function toggle(id: string) {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }

  function onEnd() {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }

  if (query.isPending) return <Loading />
  if (query.isError && !query.data)
    return (
      <LoadError
        text="Non riusciamo a leggere i contatti. I tuoi dati sono al sicuro: riprova tra un momento."
        onRetry={() => void query.refetch()}
      />
    )
  if (contacts.length === 0)
    return isNarrowed ? <NobodyFound onClear={onClear} /> : <EmptyContacts type={wish.type} onAdd={onAdd} />

  // What has left the list is no longer meant by what is chosen in it.
  const chosen = contacts.filter(({ id }) => selected.has(id))
  return (
    <>
      <div className="grid gap-2 empty:hidden lg:grid-flow-col lg:auto-cols-auto">
        <DueBanner userId={userId} wish={wish} onChange={onChange} />
        {!isNarrowed && <DuplicatesBanner userId={userId} />}
        {!isNarrowed && <PartiesLine userId={userId} />}
        {!isNarrowed && <DemoBanner userId={userId} />}
      </div>
      {chosen.length > 0 && <SelectionBar userId={userId} contacts={chosen} onClear={() => setSelected(new Set())} />}
      <ContactTable
        label={wish.type === 'azienda' ? 'Aziende' : 'Contatti'}
        contacts={contacts}
        settings={settings}
        order={wish.text ? null : wish.order}
        selected={selected}
        onOrder={(order) => onChange({ order })}
        onSelect={toggle}
        onEnd={onEnd}
      />
      {wish.text && contacts.length === FOUND_AT_MOST && (
        <p role="status" className="text-sm text-muted-foreground">
          Vedi i primi {FOUND_AT_MOST}: restringi la ricerca per trovare gli altri. «Esporta» li prende tutti.
        </p>
      )}
      {isFetchingNextPage && <p className="text-sm text-muted-foreground">Carico altri contatti…</p>}
      <p className="hidden text-xs text-muted-foreground lg:block">
        <Kbd>n</Kbd> nuovo, <Kbd>/</Kbd> cerca, <Kbd>j</Kbd> e <Kbd>k</Kbd> per muoverti, <Kbd>Invio</Kbd> apre,{' '}
        <Kbd>x</Kbd> seleziona
      </p>
    </>
  )
}

function NobodyFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState icon={SearchXIcon} title="Nessuno corrisponde a questa ricerca" isAnswer>
      <Button variant="outline" onClick={onClear}>
        Togli ricerca e filtri
      </Button>
    </EmptyState>
  )
}

function Loading() {
  return (
    <div aria-busy className="divide-y rounded-md border bg-card">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <div key={key} className="flex items-center gap-4 p-4">
          <Skeleton className="size-5" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-1/4" />
          </div>
          <Skeleton className="hidden h-4 w-24 lg:block" />
          <Skeleton className="hidden h-4 w-24 lg:block" />
        </div>
      ))}
    </div>
  )
}
