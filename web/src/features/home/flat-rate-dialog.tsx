/** What the estimate for the forfettario has to know: kind of activity, first years or not, contributions. */
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'

import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@/components/ui/dialog'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Select } from '@/components/ui/select'
import { useAuth } from '@/data/auth-context'
import { useSaveFlatRateChoices } from '@/data/flat-rate'
import type { FlatRate, FlatRateChoices } from '@/data/home'
import { priceOf } from '@/lib/typed-amount'
import { activityOfAteco, flatRateActivities } from '@/strings/flat-rate'

type Props = { userId: string; flatRate: FlatRate; onClose: () => void }

const beginning: FlatRateChoices = {
  activity: 'redditivita_professioni',
  is_startup: false,
  contributions: 'gestione_separata',
  fixed_cents: null,
}

export default function FlatRateDialog({ userId, flatRate, onClose }: Props) {
  const { figures } = flatRate
  const ateco = useAuth().profile?.ateco
  const [choices, setChoices] = useState(
    flatRate.choices ?? (ateco ? { ...beginning, activity: activityOfAteco(ateco) } : beginning),
  )
  const [typed, setTyped] = useState(
    choices.fixed_cents === null ? '' : (choices.fixed_cents / 100).toLocaleString('it-IT'),
  )
  const [isTried, setIsTried] = useState(false)
  const save = useSaveFlatRateChoices(userId)
  const isFixed = choices.contributions === 'importo_fisso'
  const fixed = isFixed ? priceOf(typed) : null
  const isWrong = isFixed && (fixed === null || fixed > 10_000_000)
  const percent = (name: string) => {
    const figure = figures[name]
    return figure ? ` (${figure.value.toLocaleString('it-IT')} %)` : ''
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    setIsTried(true)
    if (isWrong) return
    save.mutate(
      { ...choices, fixed_cents: fixed },
      { onSuccess: onClose, onError: () => toast.error('Non siamo riusciti a salvare: riprova') },
    )
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Quanto mettere da parte</DialogTitle>
          <DialogDescription>Le risposte restano tue e servono solo a questa stima.</DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="grid gap-5">
          <div className="grid gap-1.5">
            <Label htmlFor="flat-rate-activity">Che attività fai</Label>
            <Select
              id="flat-rate-activity"
              value={choices.activity}
              onChange={({ target }) => setChoices({ ...choices, activity: target.value })}
            >
              {flatRateActivities.map(([name, text]) => (
                <option key={name} value={name}>
                  {text + percent(name)}
                </option>
              ))}
            </Select>
            <p className="text-xs text-pretty text-muted-foreground">
              Tra parentesi il coefficiente di redditività: la parte degli incassi che conta come reddito.
            </p>
          </div>
          <label className="flex min-h-11 items-center gap-3 text-sm">
            <input
              type="checkbox"
              checked={choices.is_startup}
              className="size-4 shrink-0 accent-primary"
              onChange={({ target }) => setChoices({ ...choices, is_startup: target.checked })}
            />
            Sono nei primi cinque anni con l’aliquota ridotta{percent('imposta_avvio')}
          </label>
          <fieldset className="grid gap-2">
            <legend className="mb-1.5 text-sm font-medium">Contributi</legend>
            <RadioCard
              name="contributions"
              checked={!isFixed}
              onChange={() => setChoices({ ...choices, contributions: 'gestione_separata' })}
            >
              Gestione separata INPS{percent('gestione_separata')}
            </RadioCard>
            <RadioCard
              name="contributions"
              checked={isFixed}
              onChange={() => setChoices({ ...choices, contributions: 'importo_fisso' })}
            >
              Artigiani, commercianti o cassa professionale
            </RadioCard>
          </fieldset>
          {isFixed && (
            <div className="grid gap-1.5">
              <Label htmlFor="flat-rate-fixed">Contributi di quest’anno, in euro</Label>
              <Input
                id="flat-rate-fixed"
                inputMode="decimal"
                value={typed}
                aria-invalid={isTried && isWrong}
                aria-describedby="flat-rate-fixed-hint"
                onChange={({ target }) => setTyped(target.value)}
              />
              <p id="flat-rate-fixed-hint" className="text-xs text-pretty text-muted-foreground">
                {isTried && isWrong
                  ? 'Scrivi un importo fino a 100.000 €, per esempio 4.500.'
                  : 'Quanto paghi in tutto l’anno: lo trovi nei modelli F24 o nell’area riservata della cassa.'}
              </p>
            </div>
          )}
          <Button type="submit" disabled={save.isPending} className="justify-self-end">
            Salva
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  )
}
