import { ArrowUpIcon, SquareIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { DropdownMenu, DropdownMenuContent, DropdownMenuItem, DropdownMenuTrigger } from '@/components/ui/dropdown-menu'
import { Spinner } from '@/components/ui/spinner'
import { useTurn } from '@/data/chat-stream'
import { paths } from '@/paths'

type Props = {
  runningId: string | null
  canSend: boolean
  isAsking: boolean
  /** The balance does not cover the price. */
  isShort: boolean
  onSend: (way?: 'locale') => void
  onStop: () => void
}

export function SendButton({ runningId, canSend, isAsking, isShort, onSend, onStop }: Props) {
  const turn = useTurn(runningId)
  if (runningId !== null) {
    const isStopping = turn?.state === 'stopping'
    return (
      <Button
        variant="outline"
        size="icon"
        aria-label="Ferma la risposta"
        title="Ferma (Esc)"
        disabled={!turn || isStopping}
        onClick={onStop}
      >
        {isStopping ? <Spinner aria-hidden /> : <SquareIcon aria-hidden className="fill-current" />}
      </Button>
    )
  }
  if (isShort) return <TopUpOrLocal canSend={canSend} onSend={onSend} />
  return (
    <Button size="icon" aria-label="Invia" title="Invia (Invio)" disabled={!canSend} onClick={() => onSend()}>
      {isAsking ? <Spinner aria-hidden /> : <ArrowUpIcon aria-hidden />}
    </Button>
  )
}

function TopUpOrLocal({ canSend, onSend }: Pick<Props, 'canSend' | 'onSend'>) {
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button className="h-auto min-h-11 py-1.5 text-left whitespace-normal">
          Ricarica o usa la modalità locale
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" side="top">
        <DropdownMenuItem asChild>
          <Link to={paths.store}>Ricarica i crediti</Link>
        </DropdownMenuItem>
        <DropdownMenuItem disabled={!canSend} onSelect={() => onSend('locale')}>
          Invia in modalità locale · 0 crediti
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
