/** «Da fare adesso»: the five insights that matter most, and the others behind a button. `j` and `k` go through them. */
import { CircleCheckBigIcon } from 'lucide-react'
import { Link } from 'react-router'
import { useRef, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import type { Insight } from '@/data/home'
import { InsightCard } from '@/features/home/insight-card'
import { useInsightActions } from '@/features/home/use-insight-actions'
import { lazyDialog } from '@/lib/lazy-dialog'
import { useShortcut } from '@/lib/shortcut'
import { paths } from '@/paths'
import { countText } from '@/strings/home'

const ReminderDialog = lazyDialog(() => import('@/features/home/reminder-dialog'))
const KindsDialog = lazyDialog(() => import('@/features/home/kinds-dialog'))

const FIRST = 5

export function InsightList({ userId, insights }: { userId: string; insights: Insight[] }) {
  const list = useRef<HTMLUListElement>(null)
  const [showsAll, setShowsAll] = useState(false)
  const [reminding, setReminding] = useState<Insight | null>(null)
  const [showsKinds, setShowsKinds] = useState(false)
  const actions = useInsightActions(userId)
  const shown = showsAll ? insights : insights.slice(0, FIRST)
  const others = insights.length - shown.length

  /** From one card to the next: on its title, where the button is the next stop. */
  function move(step: number) {
    const cards = [...(list.current?.children ?? [])]
    const at = cards.findIndex((card) => card.contains(document.activeElement))
    const next = cards[at === -1 && step < 0 ? cards.length - 1 : at + step]
    next?.querySelector<HTMLElement>('a, button')?.focus()
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))

  return (
    <Card className="gap-2">
      <div className="flex items-center justify-between gap-3">
        <CardTitle>Da fare adesso</CardTitle>
        <Button variant="ghost" size="sm" className="-mr-2" onClick={() => setShowsKinds(true)}>
          Che cosa vedere
        </Button>
      </div>
      {insights.length === 0 && (
        <p className="flex items-center gap-2.5 py-2 text-sm text-muted-foreground">
          <CircleCheckBigIcon aria-hidden className="size-5 shrink-0 text-primary" />
          Niente di urgente. Quando una fattura scade, una trattativa si ferma o qualcuno aspetta, lo leggi qui.
        </p>
      )}
      {insights.length > 0 && (
        <ul ref={list} aria-label="Da fare adesso" className="divide-y">
          {shown.map((insight) => (
            <InsightCard key={insight.id} insight={insight} actions={actions} onRemind={() => setReminding(insight)} />
          ))}
        </ul>
      )}
      {insights.some(({ kind }) => kind === 'fattura_scaduta') && (
        <p className="text-sm text-pretty text-muted-foreground">
          Vuoi che i solleciti partano da soli?{' '}
          <Link to={paths.mandate('recupero_crediti')} className="font-medium text-foreground underline">
            Prova Recupero crediti
          </Link>
        </p>
      )}
      {insights.some(({ kind }) => kind === 'preventivo_fermo') && (
        <p className="text-sm text-pretty text-muted-foreground">
          Vuoi che Socio chieda notizie dei preventivi per te?{' '}
          <Link to={paths.mandate('segui_preventivi')} className="font-medium text-foreground underline">
            Prova Segui i preventivi
          </Link>
        </p>
      )}
      {(others > 0 || showsAll) && (
        <Button variant="outline" size="sm" className="justify-self-start" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Solo le più importanti' : countText(others, 'altra', 'altre')}
        </Button>
      )}
      {reminding && (
        <ReminderDialog
          userId={userId}
          insight={reminding}
          onDone={() => actions.done(reminding)}
          onClose={() => setReminding(null)}
        />
      )}
      {showsKinds && <KindsDialog userId={userId} onClose={() => setShowsKinds(false)} />}
    </Card>
  )
}
