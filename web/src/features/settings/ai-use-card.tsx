import { useQuery } from '@tanstack/react-query'
import { CpuIcon, SparklesIcon } from 'lucide-react'
import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { chatSettingsQuery } from '@/data/chat-settings'
import { type AiUsage, aiUsageQuery, useChoosePrivacy } from '@/data/privacy'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { credits } from '@/strings/credits'
import { monthAndYear } from '@/strings/dates'
import { formatCount } from '@/strings/numbers'
import { privacyWordings } from '@/strings/privacy'

/** «Uso dell’IA»: what went to which provider, and the switch after which nothing does. */
export function AiUseCard() {
  const { id: userId } = useUser()
  const { data: settings } = useQuery(chatSettingsQuery(userId))
  const usage = useQuery(aiUsageQuery(userId))
  const choose = useChoosePrivacy(userId)
  // What was pressed shows at once; the settings follow.
  const isLocal = choose.isPending ? !choose.variables.is_allowed : settings?.local_only

  function change(isWanted: boolean): void {
    choose.mutate(
      { purpose: 'ai', is_allowed: !isWanted, wording: privacyWordings.ai },
      {
        onSuccess: () => toast.success(isWanted ? 'Da ora risponde solo Socio' : 'Puoi di nuovo usare l’IA'),
        onError: tellFailure,
      },
    )
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Uso dell’IA</CardTitle>
        <CardDescription>
          Una domanda va a un fornitore di IA solo se lo scegli in chat e gli hai detto di sì. In modalità locale
          risponde Socio, e non esce niente. Qui ci sono le quantità degli ultimi dodici mesi, mai i contenuti.
        </CardDescription>
      </CardHeader>
      <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={isLocal ?? false}
          disabled={isLocal === undefined || choose.isPending}
          onChange={({ target }) => change(target.checked)}
          className="size-5 shrink-0 accent-primary"
        />
        {privacyWordings.ai}
      </label>
      <EntryList
        query={usage}
        label="Uso dell’IA"
        empty="L’assistente non ti ha ancora risposto."
        error="Non riusciamo a leggere l’uso dell’IA in questo momento."
        renderRow={(month) => (
          <Entry
            key={`${month.month} ${month.work} ${month.mode} ${month.host} ${month.model}`}
            icon={month.mode === 'ia' ? SparklesIcon : CpuIcon}
            title={`${giver(month)} · ${monthAndYear(month.month)}`}
            text={amounts(month)}
          />
        )}
      />
    </Card>
  )
}

function giver({ mode, provider, model, host }: AiUsage): string {
  if (mode !== 'ia') return 'Nessun fornitore: modalità locale'
  return `${provider ?? host ?? 'Fornitore non annotato'}${model === null ? '' : `, ${model}`}`
}

function counted({ work, answers }: AiUsage): string {
  if (work === 'transcript') return answers === 1 ? '1 trascrizione' : `${formatCount(answers)} trascrizioni`
  if (work === 'letter')
    return answers === 1 ? '1 messaggio di un agente' : `${formatCount(answers)} messaggi di agenti`
  return answers === 1 ? '1 risposta' : `${formatCount(answers)} risposte`
}

/** «12 risposte · inviati 3.400 token, ricevuti 900 · 12 crediti» */
function amounts(month: AiUsage): string {
  const { mode, tokens_in: sent, tokens_out: received, credits: cost } = month
  const count = counted(month)
  if (mode !== 'ia') return `${count} · non è uscito niente`
  const tokens = sent === null ? '' : ` · inviati ${formatCount(sent)} token, ricevuti ${formatCount(received ?? 0)}`
  return `${count}${tokens} · ${credits(cost)}`
}
