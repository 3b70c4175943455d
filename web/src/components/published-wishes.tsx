/** What people asked for, on public pages: read in the browser, for an admin publishes it at any time. */
import { useEffect, useState } from 'react'
import { Link } from 'react-router'

import { WishList } from '@/components/wish-list'
import { readRoadmapBoard, type Wish } from '@/data/roadmap-board'
import { paths } from '@/paths'

const titles = { open: 'Chieste da chi usa Socio', done: 'Fatte perché ce le avete chieste' }

/** Without any, or without an answer, what is not there is not spoken of; the way to propose one always is. */
export function PublishedWishes({ state }: { state: keyof typeof titles }) {
  const [wishes, setWishes] = useState<Wish[]>([])
  useEffect(() => {
    readRoadmapBoard().then(
      (board) => setWishes(board.filter((wish) => (wish.state === 'done') === (state === 'done'))),
      () => {},
    )
  }, [state])

  if (wishes.length === 0 && state === 'done') return null
  return (
    <section aria-labelledby="wishes" className="grid gap-4">
      <h2 id="wishes" className="font-display text-2xl font-medium">
        {titles[state]}
      </h2>
      {wishes.length > 0 && <WishList label={titles[state]} wishes={wishes} />}
      {state === 'open' && (
        <p className="text-pretty text-muted-foreground">
          {wishes.length > 0 ? 'I voti ci dicono da dove partire.' : 'Manca qualcosa al tuo lavoro?'}{' '}
          <Link to={paths.settingsIdeas} className="text-primary underline underline-offset-4">
            {wishes.length > 0 ? 'Vota o proponi un’idea' : 'Proponi un’idea'}
          </Link>
        </p>
      )}
    </section>
  )
}
