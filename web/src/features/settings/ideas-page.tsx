/** /settings/ideas: what the person wished for, what came of it, and votes for what is planned. */
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ChevronUpIcon, LightbulbIcon, PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { LoadError } from '@/components/load-error'
import { tellFailure } from '@/components/save-failure'
import { SettingsScreen } from '@/components/settings-screen'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { WishList } from '@/components/wish-list'
import { useUser } from '@/data/auth-context'
import { type Idea, myIdeasQuery, useDeleteIdea, useVote, wishesQuery } from '@/data/ideas'
import type { Wish } from '@/data/roadmap-board'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { IdeaDialog } from '@/features/settings/idea-dialog'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'
import { ideaStates, votesText } from '@/strings/roadmap-states'

export default function IdeasPage() {
  return (
    <SettingsScreen title="Idee">
      <IdeasCard />
      <WishesCard />
    </SettingsScreen>
  )
}

function IdeasCard() {
  const { id: userId } = useUser()
  const [search, setSearch] = useSearchParams()
  const [deleted, setDeleted] = useState<Idea>()
  const query = useQuery(myIdeasQuery(userId))
  const remove = useDeleteIdea()

  function onDelete(idea: Idea) {
    remove.mutate(idea.id, { onSuccess: () => setDeleted(undefined), onError: tellFailure })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Le tue idee</CardTitle>
        <CardDescription>
          Che cosa manca a Socio per il tuo lavoro? Leggiamo tutto e ti rispondiamo qui e tra gli avvisi.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Le tue idee"
        empty="Non ne hai ancora mandate."
        error="Non riusciamo a leggere le tue idee in questo momento."
        renderRow={(idea) => (
          <Entry
            key={idea.id}
            icon={LightbulbIcon}
            title={idea.title}
            text={
              <>
                <span className="block">{stateOf(idea)}</span>
                {idea.reply && <span className="block text-foreground">{idea.reply}</span>}
              </>
            }
          >
            <Button variant="ghost" size="sm" aria-label={`Elimina ${idea.title}`} onClick={() => setDeleted(idea)}>
              Elimina
            </Button>
          </Entry>
        )}
      />
      <Button
        variant="outline"
        className="self-start"
        onClick={() => setSearch({ nuova: '1' }, { replace: true, preventScrollReset: true })}
      >
        <PlusIcon aria-hidden /> Proponi un’idea
      </Button>
      {search.get('nuova') === '1' && (
        <IdeaDialog onClose={() => setSearch({}, { replace: true, preventScrollReset: true })} />
      )}
      <ConfirmDialog
        isOpen={deleted !== undefined}
        title="Elimini l’idea?"
        text={`«${deleted?.title ?? ''}» sparisce anche da chi la deve leggere. Quello che è già in roadmap resta.`}
        confirm="Elimina"
        isBusy={remove.isPending}
        onConfirm={() => deleted && onDelete(deleted)}
        onClose={() => setDeleted(undefined)}
      />
    </Card>
  )
}

function stateOf({ state, item_title: item, created_at: sent, answered_at: answered }: Idea): string {
  if (state === 'new' && !answered) return `Inviata il ${dayAndMonth(sent)}, da leggere`
  return item ? `${ideaStates[state]}: ${item}` : ideaStates[state]
}

function WishesCard() {
  const { id: userId } = useUser()
  const { data: wishes, isError, refetch } = useQuery(wishesQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Nate dalle idee di chi usa Socio</CardTitle>
        <CardDescription>
          Vota quello che serve anche a te: i voti ci dicono da dove partire. Il resto del piano sta nella{' '}
          <Link to={paths.roadmap} className="text-primary underline underline-offset-4">
            roadmap
          </Link>
          .
        </CardDescription>
      </CardHeader>
      {isError && !wishes && (
        <LoadError text="Non riusciamo a leggere la roadmap in questo momento." onRetry={() => void refetch()} />
      )}
      {!wishes && !isError && <Skeleton className="h-24" />}
      {wishes?.length === 0 && (
        <p className="text-sm text-muted-foreground">Ancora niente da votare: la prossima idea può essere la tua.</p>
      )}
      {wishes && wishes.length > 0 && (
        <WishList
          label="Da votare"
          wishes={wishes}
          renderVote={(wish) => wish.state !== 'done' && <VoteButton userId={userId} wish={wish} />}
        />
      )}
    </Card>
  )
}

function VoteButton({ userId, wish }: { userId: string; wish: Wish }) {
  const vote = useVote(userId)
  return (
    <button
      type="button"
      aria-pressed={wish.is_mine}
      aria-label={`Vota ${wish.title}: ${votesText(wish.votes)}`}
      onClick={() => vote.mutate({ id: wish.id, isFor: !wish.is_mine }, { onError: tellFailure })}
      className={clsx(
        'grid min-h-14 min-w-14 shrink-0 place-items-center content-center rounded-md border text-sm font-semibold transition-colors tabular',
        wish.is_mine ? 'border-primary bg-primary text-primary-foreground' : 'hover:border-primary',
      )}
    >
      <ChevronUpIcon aria-hidden className="size-4" />
      {wish.votes}
    </button>
  )
}
