/** One cell: its checks with the picture of a failure, and what an admin says about it. */
import { useQuery } from '@tanstack/react-query'
import { addDays, format } from 'date-fns'
import { ExternalLinkIcon } from 'lucide-react'
import { useId, useState } from 'react'

import { NameDialog } from '@/components/name-dialog'
import { RadioCard } from '@/components/radio-card'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { Skeleton } from '@/components/ui/skeleton'
import { type QaCell, type QaKind, qaPictureQuery, useJudgeQa } from '@/data/admin-qa'
import { qaChecks, qaOutcome, qaPlace, qaStateText } from '@/strings/admin-qa'
import { dateAndTime } from '@/strings/dates'

const HEIGHT = 740
const DAYS_AT_FIRST = 30
const MOST_DAYS = 365

const day = (days: number) => format(addDays(new Date(), days), 'yyyy-MM-dd')

type Props = { kind: QaKind; cell: QaCell; onClose: () => void }

export function QaCellDialog({ kind, cell, onClose }: Props) {
  const id = useId()
  const { mutateAsync } = useJudgeQa()
  const { route, place, verdict } = cell
  const hasFailed = cell.failed.length > 0
  const [outcome, setOutcome] = useState<'passed' | 'failed' | 'accepted'>(hasFailed ? 'accepted' : 'failed')
  const [until, setUntil] = useState(() => day(DAYS_AT_FIRST))

  function check(note: string): string {
    if (outcome === 'accepted' && (until < day(0) || until > day(MOST_DAYS))) return 'Scegli un giorno entro un anno'
    return note.length < 3 ? 'Scrivi una nota' : ''
  }

  const choices = [
    ...(hasFailed ? [['accepted', 'Accetta eccezione fino a un giorno: poi torna rossa'] as const] : []),
    ['passed', 'L’ho provata io: va bene, fino alla prossima prova'] as const,
    ['failed', 'L’ho provata io: non va, fino alla prossima prova'] as const,
  ]

  return (
    <NameDialog
      title={`${route} · ${qaPlace(kind, place)}`}
      text={`Prova del ${dateAndTime(cell.tested_at)}: ${qaOutcome(cell.outcome)}. La nota resta nel registro delle azioni.`}
      label="Nota"
      longest={500}
      submit="Salva"
      done="Giudizio salvato"
      check={check}
      onSubmit={(note) => mutateAsync({ kind, route, place, outcome, note, ...(outcome === 'accepted' && { until }) })}
      onClose={onClose}
    >
      <CheckList cell={cell} />
      {verdict && (
        <p className="rounded-md bg-muted px-3 py-2 text-sm break-words">
          {dateAndTime(verdict.given_at)}, {qaStateText({ state: verdict.outcome, verdict })}: {verdict.note}
        </p>
      )}
      {kind === 'mobile' && (
        <Button
          type="button"
          variant="outline"
          size="sm"
          className="justify-self-start"
          // No page may frame Socio, not even its own: a window of that width shows the same.
          onClick={() => window.open(route, `socio-${place}`, `popup,width=${place},height=${HEIGHT}`)}
        >
          <ExternalLinkIcon aria-hidden /> Apri a {place} px
        </Button>
      )}
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-sm font-medium">Giudizio</legend>
        {choices.map(([key, label]) => (
          <RadioCard key={key} isLong name={`${id}-outcome`} checked={outcome === key} onChange={() => setOutcome(key)}>
            {label}
          </RadioCard>
        ))}
      </fieldset>
      {outcome === 'accepted' && (
        <div className="grid gap-1.5">
          <Label htmlFor={`${id}-until`}>Accetta eccezione fino al</Label>
          <Input
            id={`${id}-until`}
            type="date"
            min={day(0)}
            max={day(MOST_DAYS)}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
          />
        </div>
      )}
    </NameDialog>
  )
}

function CheckList({ cell }: { cell: QaCell }) {
  // All checks of a cell are of the same moment.
  const pictured = cell.items.find(({ has_picture: hasPicture }) => hasPicture)
  return (
    <>
      <ul aria-label="Controlli" className="divide-y rounded-md border text-sm">
        {cell.items.map(({ id, check, outcome, note }) => (
          <li key={id} className="grid gap-1 px-3 py-2">
            <span className="flex justify-between gap-3">
              <span>{qaChecks[check]}</span>
              <span className={outcome === 'failed' ? 'font-medium text-error' : 'text-muted-foreground'}>
                {qaOutcome(outcome)}
              </span>
            </span>
            {note && <span className="text-xs break-words whitespace-pre-line text-muted-foreground">{note}</span>}
          </li>
        ))}
      </ul>
      {pictured && <Picture id={pictured.id} alt={`${cell.route} durante la prova`} />}
    </>
  )
}

function Picture({ id, alt }: { id: number; alt: string }) {
  const { data, isError } = useQuery(qaPictureQuery(id))
  if (isError) return <p className="text-sm text-muted-foreground">Non siamo riusciti a leggere l’immagine.</p>
  if (!data) return <Skeleton className="h-48" />
  return <img src={data} alt={alt} className="max-h-96 justify-self-center rounded-md border object-contain" />
}
