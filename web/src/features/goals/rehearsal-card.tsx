/** «Prova a vuoto»: what the agent would have done with the person's own past 90 days. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { Card, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { type Agent, type Rehearsal, rehearsalQuery } from '@/data/goals'
import { longDay } from '@/strings/days'
import { agents, channelWords, tones } from '@/strings/goals'
import { countText } from '@/strings/home'
import { formatEuro } from '@/strings/numbers'

export function RehearsalCard({ userId, agent }: { userId: string; agent: Agent }) {
  const { data, isError, refetch } = useQuery(rehearsalQuery(userId, agent))
  if (isError && !data)
    return <LoadError text="La prova a vuoto non è riuscita. Non è partito niente." onRetry={() => void refetch()} />
  const isMail = agents[agent].action === 'mail'
  if (!data) return <Skeleton aria-busy className="h-44" />
  return (
    <Card>
      <CardTitle>{isMail ? 'Prova a vuoto: i tuoi ultimi 90 giorni' : 'Prova a vuoto'}</CardTitle>
      <p className="text-pretty">{outcome(agent, data)}</p>
      <p className="text-sm text-pretty text-muted-foreground">
        È lo stesso programma, sui tuoi dati veri. {isMail ? 'Non è partito niente' : 'Non è cambiato niente'} e non
        resta traccia.
      </p>
      {data.reasons.length > 0 && <p className="text-sm text-pretty">Perché bloccati: {data.reasons.join('; ')}.</p>}
      {data.letters.length > 0 && (
        <details className="text-sm">
          <summary className="flex min-h-11 cursor-pointer items-center font-medium underline">
            {isMail ? 'Quali messaggi' : 'Quali'}
          </summary>
          <ul aria-label="Messaggi della prova" className="divide-y">
            {data.letters.map((letter) => (
              <li key={`${letter.day} ${letter.title} ${letter.client}`} className="grid gap-0.5 py-2">
                <span className="flex justify-between gap-3">
                  <span className="min-w-0 break-words">{isMail ? letter.client : letter.title}</span>
                  {isMail && <span className="shrink-0 tabular">{formatEuro(letter.cents)}</span>}
                </span>
                {isMail && (
                  <span className="text-muted-foreground">
                    {longDay(letter.day)}, {channelWords[letter.channel]}, tono {tones[letter.tone]}
                    {letter.note && ` (${letter.note})`}
                    {letter.was_paid && ': aveva già pagato, ma non risultava ancora'}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

function outcome(agent: Agent, { sent, clients, already_paid: paid, blocked }: Rehearsal): string {
  const { message, nothing, action } = agents[agent]
  if (action === 'archivio')
    return sent === 0 ? `Non avrei proposto niente: ${nothing}.` : `Avrei proposto ${countText(sent, ...message)}.`
  if (sent === 0 && blocked === 0) return `Non avrei scritto a nessuno: ${nothing}.`
  const to = `a ${countText(clients, 'cliente', 'clienti')}`
  const first = `Avrei mandato ${countText(sent, ...message)} ${to}`
  const stopped =
    blocked > 0
      ? ` ${countText(blocked, 'messaggio sarebbe stato bloccato', 'messaggi sarebbero stati bloccati')}.`
      : ''
  return `${first}${paid > 0 ? `, ${paid} a chi aveva già pagato` : ''}.${stopped}`
}
