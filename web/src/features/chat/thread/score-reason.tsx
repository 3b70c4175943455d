/** Why an answer was of no use: a few usual reasons and one's own words, all of it optional. */
import { type FormEvent, useId, useState } from 'react'

import { Button } from '@/components/ui/button'
import { Label } from '@/components/ui/label'
import { Textarea } from '@/components/ui/textarea'
import { REASON_LENGTH } from '@/data/chat'

const USUAL = ['Dati sbagliati', 'Non mi ha capito', 'Manca qualcosa', 'Troppo lunga', 'Tono sbagliato'] as const

type Props = { onSend: (reason: string) => void; onClose: () => void }

export function ScoreReason({ onSend, onClose }: Props) {
  const id = useId()
  const [chosen, setChosen] = useState<string | null>(null)
  const [words, setWords] = useState('')
  const [isSent, setSent] = useState(false)
  const reason = [chosen, words.trim()].filter(Boolean).join(': ')

  if (isSent)
    return (
      <p role="status" className="text-sm text-muted-foreground">
        Grazie: il motivo resta con la tua valutazione.
      </p>
    )

  function send(event: FormEvent) {
    event.preventDefault()
    if (reason === '') return
    onSend(reason)
    setSent(true)
  }

  return (
    <form aria-labelledby={`${id}-title`} className="grid gap-3 rounded-md border bg-card p-4 text-sm" onSubmit={send}>
      <p id={`${id}-title`} className="font-semibold">
        Che cosa non andava? <span className="font-normal text-muted-foreground">Facoltativo</span>
      </p>
      <div className="flex flex-wrap gap-2">
        {USUAL.map((each) => (
          <Button
            key={each}
            type="button"
            size="sm"
            variant={chosen === each ? 'default' : 'outline'}
            aria-pressed={chosen === each}
            onClick={() => setChosen(chosen === each ? null : each)}
          >
            {each}
          </Button>
        ))}
      </div>
      <div className="grid gap-1.5">
        <Label htmlFor={id}>Con parole tue</Label>
        <Textarea
          id={id}
          rows={2}
          value={words}
          maxLength={REASON_LENGTH - 50}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') onClose()
          }}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={reason === ''}>
          Invia il motivo
        </Button>
        <Button size="sm" type="button" variant="ghost" onClick={onClose}>
          Salta
        </Button>
      </div>
    </form>
  )
}
