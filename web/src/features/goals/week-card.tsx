/** The last seven days of the agents: what they did, what came of it, and the rules that spoke. */
import { useQuery } from '@tanstack/react-query'

import { Card, CardTitle } from '@/components/ui/card'
import { agentWeekQuery } from '@/data/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'

/** Nothing while it is read, and where there is nothing to say. */
export function WeekCard({ userId }: { userId: string }) {
  const { data: week } = useQuery(agentWeekQuery(userId))
  if (
    !week ||
    (week.sent === 0 &&
      week.tidied === 0 &&
      week.refused === 0 &&
      week.blocked === 0 &&
      week.unneeded === 0 &&
      week.credits === 0)
  )
    return null
  const figures = [
    ['Inviati', `${week.sent} (${formatEuro(week.sent_cents)})`],
    ...(week.sent_by_whatsapp > 0 ? ([['Di cui su WhatsApp', String(week.sent_by_whatsapp)]] as const) : []),
    ...(week.sent_by_pec > 0 ? ([['Di cui per PEC', String(week.sent_by_pec)]] as const) : []),
    ['Sistemati nell’archivio', String(week.tidied)],
    ...(week.letters > 0 ? ([['Scritti dall’assistente', String(week.letters)]] as const) : []),
    ...(week.credits > 0 ? ([['Crediti usati per i testi', String(week.credits)]] as const) : []),
    ['Incassati dopo un sollecito', formatEuro(week.cashed_cents)],
    ['Rifiutati da te', String(week.refused)],
    ['Bloccati dalle regole', String(week.blocked)],
    ['Ritirati perché non servivano più', String(week.unneeded)],
  ] as const
  return (
    <Card className="gap-3">
      <CardTitle>Gli ultimi sette giorni</CardTitle>
      <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
        {figures.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-3">
            <dt className="text-muted-foreground">{label}</dt>
            <dd className="shrink-0 font-medium tabular">{value}</dd>
          </div>
        ))}
      </dl>
      {week.rules.length > 0 && (
        <p className="text-sm text-muted-foreground">
          Regole applicate:{' '}
          {week.rules.map(({ id, times }) => `${id} (${countText(times, 'volta', 'volte')})`).join(', ')}
        </p>
      )}
    </Card>
  )
}
