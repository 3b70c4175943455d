/** What a proposal risks and costs, and which rule asked for a word; loudest the one about words of others. */
import { clsx } from 'clsx'
import { ShieldAlertIcon } from 'lucide-react'

import type { ToolCall } from '@/data/tool-calls'
import { isFromOthers, toolOf } from '@/features/chat/cards/tools'

export function CardReasons({ call: { risk, rules, tool } }: { call: ToolCall }) {
  return (
    <>
      {rules.some(isFromOthers) && (
        <p className="flex items-start gap-2 rounded-sm bg-warning-tint px-3 py-2">
          <ShieldAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
          Per proporla ho letto testi scritti da altri. Controlla che sia davvero quello che vuoi tu.
        </p>
      )}
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted-foreground">
        <li className={clsx(risk === 'alto' && 'font-semibold text-error')}>Rischio {risk}</li>
        <li>0 crediti</li>
        <li>{toolOf(tool).isReversible ? 'Si può annullare' : 'Non si può annullare'}</li>
        {rules.map(({ id, reason }) => (
          <li key={id} className="basis-full">
            Regola {id}: {reason}
          </li>
        ))}
      </ul>
    </>
  )
}
