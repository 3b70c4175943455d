/** /admin/roadmap: what is planned by state, the technical list, and the ideas that wait for an answer. */
import { useQuery } from '@tanstack/react-query'
import { LightbulbIcon, PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { LinkTabs } from '@/components/link-tabs'
import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import {
  adminRoadmapQuery,
  type ItemKind,
  type ItemState,
  type ReceivedIdea,
  type RoadmapItem,
  useAnswerIdea,
} from '@/data/admin-roadmap'
import { AdminScreen } from '@/features/admin/admin-screen'
import { IdeaDialog } from '@/features/admin/idea-dialog'
import { ItemDialog } from '@/features/admin/item-dialog'
import { paths } from '@/paths'
import { dayInDigits } from '@/strings/dates'
import { longDay } from '@/strings/days'
import { itemStates, votesText } from '@/strings/roadmap-states'

const states = Object.entries(itemStates) as [ItemState, string][]

export function RoadmapPage() {
  const { data, isError, refetch } = useQuery(adminRoadmapQuery())
  return (
    <AdminScreen
      title="Roadmap"
      text="Le idee arrivano senza il nome di chi le manda. Quello che pubblichi si legge in Roadmap e, quando è fatto, tra le Novità."
    >
      {isError && !data && <LoadError text="Non siamo riusciti a leggere la roadmap." onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="h-72" />}
      {data && <Lists {...data} />}
    </AdminScreen>
  )
}

function Lists({ items, ideas }: { items: RoadmapItem[]; ideas: ReceivedIdea[] }) {
  const [search] = useSearchParams()
  const waiting = ideas.filter(isWaiting).length
  const tabs = [
    { key: 'prodotto', label: 'Prodotto', to: paths.adminRoadmap },
    { key: 'tecnica', label: 'Tecnica', to: `${paths.adminRoadmap}?lista=tecnica` },
    { key: 'idee', label: waiting > 0 ? `Idee (${waiting})` : 'Idee', to: `${paths.adminRoadmap}?lista=idee` },
  ] as const
  const current = tabs.find(({ key }) => key === search.get('lista'))?.key ?? 'prodotto'
  return (
    <>
      <LinkTabs label="Liste" tabs={tabs} current={current} />
      {current === 'idee' ? (
        <Inbox ideas={ideas} items={items} />
      ) : (
        <Board key={current} kind={current === 'tecnica' ? 'technical' : 'product'} items={items} />
      )}
    </>
  )
}

const isWaiting = ({ item_id: item, is_declined: isDeclined }: ReceivedIdea) => item === null && !isDeclined

function Board({ kind, items }: { kind: ItemKind; items: RoadmapItem[] }) {
  const [written, setWritten] = useState<RoadmapItem | 'new'>()
  const own = items.filter((item) => item.kind === kind)
  return (
    <>
      <Button className="justify-self-start" variant="outline" onClick={() => setWritten('new')}>
        <PlusIcon aria-hidden /> Nuova voce
      </Button>
      {own.length === 0 ? (
        <EmptyState
          icon={LightbulbIcon}
          title="Niente in programma"
          text={
            kind === 'product'
              ? 'Scrivi la prima voce, o rispondi a un’idea.'
              : 'Scrivi la prima voce, o creala da un gruppo di errori.'
          }
        />
      ) : (
        <div className="grid gap-6 md:grid-cols-2 xl:grid-cols-4 xl:gap-4">
          {states.map(([state, label]) => (
            <Column key={state} label={label} items={own.filter((item) => item.state === state)} onOpen={setWritten} />
          ))}
        </div>
      )}
      {written && (
        <ItemDialog
          item={written === 'new' ? { kind } : { ...written, isPublic: written.is_public, dueOn: written.due_on ?? '' }}
          onClose={() => setWritten(undefined)}
        />
      )}
    </>
  )
}

type ColumnProps = { label: string; items: RoadmapItem[]; onOpen: (item: RoadmapItem) => void }

function Column({ label, items, onOpen }: ColumnProps) {
  return (
    <section aria-label={label} className="grid content-start gap-2">
      <h2 className="text-sm font-semibold">
        {label} <span className="font-normal text-muted-foreground tabular">{items.length}</span>
      </h2>
      <ul className="grid gap-2">
        {items.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              onClick={() => onOpen(item)}
              className="grid w-full gap-2 rounded-md border bg-card p-3 text-left transition-colors hover:border-primary"
            >
              <span className="font-medium break-words">{item.title}</span>
              <span className="flex flex-wrap gap-1.5">
                {item.is_late && <Badge variant="notice">in ritardo</Badge>}
                {item.is_public && <Badge variant="secondary">pubblica</Badge>}
              </span>
              <span className="text-sm text-muted-foreground tabular">{facts(item)}</span>
              {item.error && <span className="text-sm break-words text-muted-foreground">Errore: {item.error}</span>}
            </button>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p className="text-sm text-muted-foreground">Niente.</p>}
    </section>
  )
}

function facts({ kind, votes, ideas, due_on: due }: RoadmapItem): string {
  const wanted = kind === 'product' && `${votesText(votes)}, ${ideas === 1 ? '1 idea' : `${ideas} idee`}`
  return [wanted, due && `entro il ${longDay(due)}`].filter(Boolean).join(' · ')
}

function Inbox({ ideas, items }: { ideas: ReceivedIdea[]; items: RoadmapItem[] }) {
  const [opened, setOpened] = useState<ReceivedIdea>()
  /** The reply to the idea for which an item is being written. */
  const [reply, setReply] = useState<string>()
  const { mutateAsync: answer } = useAnswerIdea()
  const close = () => {
    setOpened(undefined)
    setReply(undefined)
  }
  if (ideas.length === 0)
    return (
      <EmptyState
        icon={LightbulbIcon}
        title="Nessuna idea ancora"
        text="Chi usa Socio le manda da Impostazioni → Idee."
      />
    )
  return (
    <>
      <ul aria-label="Idee ricevute" className="divide-y rounded-md border bg-card">
        {ideas.map((idea) => (
          <li key={idea.id} className="flex flex-wrap items-start gap-x-4 gap-y-2 p-4">
            <div className="grid min-w-48 flex-1 gap-1">
              <span className="font-medium break-words">{idea.title}</span>
              {idea.text && <span className="text-sm break-words whitespace-pre-line">{idea.text}</span>}
              <span className="text-sm text-muted-foreground tabular">
                {dayInDigits(idea.created_at)} · {outcome(idea, items)}
              </span>
            </div>
            <Button
              variant={isWaiting(idea) ? 'default' : 'outline'}
              size="sm"
              aria-label={`${isWaiting(idea) ? 'Rispondi' : 'Cambia'}: ${idea.title}`}
              onClick={() => setOpened(idea)}
            >
              {isWaiting(idea) ? 'Rispondi' : 'Cambia'}
            </Button>
          </li>
        ))}
      </ul>
      {opened && reply === undefined && <IdeaDialog idea={opened} items={items} onNewItem={setReply} onClose={close} />}
      {opened && reply !== undefined && (
        <ItemDialog
          item={{ kind: 'product', title: opened.title }}
          onSaved={(itemId) => answer({ id: opened.id, itemId, reply })}
          onClose={close}
        />
      )}
      <p className="text-sm text-muted-foreground">
        Che cosa vede chi usa Socio:{' '}
        <Link to={paths.settingsIdeas} className="text-primary underline underline-offset-4">
          Impostazioni → Idee
        </Link>
      </p>
    </>
  )
}

function outcome({ item_id: id, is_declined: isDeclined }: ReceivedIdea, items: RoadmapItem[]): string {
  if (isDeclined) return 'non la faremo'
  const item = items.find((one) => one.id === id)
  return item ? `${itemStates[item.state].toLowerCase()}: ${item.title}` : 'aspetta una risposta'
}
