import { ChevronDownIcon } from 'lucide-react'

import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import type { AgentChoice } from '@/data/chat'
import { type ChatSettings, quoteOf } from '@/data/chat-settings'
import type { Way } from '@/features/chat/composer/use-wish'
import { modelText } from '@/strings/chat'
import { credits } from '@/strings/credits'

const names: Record<Way, string> = { ia: 'IA', approfondita: 'IA approfondita', locale: 'Modalità locale' }
/** Where the screen is narrow: all controls stay in one row. */
const shortNames: Record<Way, string> = { ia: 'IA', approfondita: 'Approfondita', locale: 'Locale' }
const texts: Record<Exclude<Way, 'ia'>, string> = {
  approfondita: 'Più ragionamento, per domande difficili',
  locale: 'Solo dai tuoi dati, senza modello esterno',
}

type Props = {
  way: Way
  agent: AgentChoice
  settings: ChatSettings | undefined
  onChange: (way: Way) => void
}

/** With a model or without, and what each costs; a badge where there is no choice. */
export function WayMenu({ way, agent, settings, onChange }: Props) {
  if (!settings?.ai) return <Badge variant="secondary">Modalità locale</Badge>
  const price = (one: Way) =>
    quoteOf(settings.prices, { agent, mode: one === 'locale' ? 'locale' : 'ia', isDeep: one === 'approfondita' })
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="sm" className="px-2" aria-label={`Modalità: ${names[way]}`}>
          <span className="max-sm:hidden">{names[way]}</span>
          <span className="sm:hidden">{shortNames[way]}</span>
          <ChevronDownIcon aria-hidden className="size-4 text-muted-foreground max-sm:hidden" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" side="top">
        <DropdownMenuRadioGroup value={way} onValueChange={(value) => onChange(value as Way)}>
          {(['ia', 'approfondita', 'locale'] as const).map((one) => (
            <DropdownMenuRadioItem key={one} value={one}>
              <span className="grid">
                <span className="font-medium">
                  {names[one]} · {credits(price(one))}
                </span>
                <span className="text-xs text-muted-foreground">
                  {one === 'ia' ? modelText(settings.provider, settings.in_eu) : texts[one]}
                </span>
              </span>
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
