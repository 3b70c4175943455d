/** An import under way, and its result. */
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Progress } from '@/components/ui/progress'
import { type ImportRun, pauseImport, resumeImport } from '@/data/import-run'
import {
  type ContactsFile,
  leftOutCells,
  type Rejected,
  rejectedCsv,
  rejectedRows,
} from '@/features/crm-import/contacts-file'
import { UndoImport } from '@/features/crm-import/undo-import'
import type { Checked } from '@/lib/contact-csv-rows'
import { saveFile } from '@/lib/save-file'
import { paths } from '@/paths'
import { formatCount } from '@/strings/numbers'

type Props = {
  run: ImportRun
  /** Null after the page was left and opened again. */
  file: ContactsFile | null
  checked: Checked | null
  /** What to do next, instead of going on to the contacts. */
  next?: ReactNode
  onDone: () => void
}

export function RunView(props: Props) {
  const { run } = props
  return run.state === 'done' || run.state === 'failed' ? <Result {...props} /> : <Sending run={run} />
}

function Sending({ run }: { run: ImportRun }) {
  const { fileName, state, sent, total } = run
  const texts = {
    sending: `${formatCount(sent)} di ${formatCount(total)} contatti`,
    interrupted: `Connessione interrotta a ${formatCount(sent)} di ${formatCount(total)}: riprovo da solo, niente va perso`,
    paused: `In pausa a ${formatCount(sent)} di ${formatCount(total)}`,
    done: '',
    failed: '',
  }
  return (
    <Card>
      <CardTitle>Importo «{fileName}»</CardTitle>
      <Progress value={sent} max={Math.max(total, 1)} aria-label="Avanzamento dell’importazione" />
      <p role="status" className="text-sm tabular">
        {texts[state]}
      </p>
      <p className="text-sm text-muted-foreground">
        Puoi usare il resto di Socio intanto. Se chiudi la finestra l’importazione si ferma, e la riprendi da qui.
      </p>
      {state === 'paused' ? (
        <Button className="self-start" onClick={resumeImport}>
          Riprendi
        </Button>
      ) : (
        <Button variant="outline" className="self-start" onClick={pauseImport}>
          Metti in pausa
        </Button>
      )}
    </Card>
  )
}

function Result({ run, file, checked, next, onDone }: Props) {
  const [isUndoing, setUndoing] = useState(false)
  const { fileName, batchId, state, created, updated, skipped, sent, total, errors, cells } = run
  const known = checked ?? { rows: [], rejections: [], remarks: [] }
  const rejected = rejectedRows(known, errors)
  const leftOut = leftOutCells(known, cells)
  const counts = [
    { label: 'aggiunti', count: created },
    { label: 'aggiornati', count: updated },
    { label: 'saltati', count: skipped },
    { label: 'scartati', count: rejected.length },
  ]

  return (
    <Card role="status">
      <CardTitle>
        {state === 'done' ? `«${fileName}» è importato` : `L’importazione di «${fileName}» si è fermata`}
      </CardTitle>
      {state === 'failed' && (
        <p className="text-sm">
          Il server non ha accettato di andare avanti dopo {formatCount(sent)} contatti su {formatCount(total)}. Quelli
          sono al sicuro; gli altri li importi di nuovo con lo stesso file.
        </p>
      )}
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {counts.map(({ label, count }) => (
          <div key={label} className="flex flex-col-reverse rounded-md bg-muted p-3">
            <dt className="text-sm text-muted-foreground">{label}</dt>
            <dd className="text-2xl font-semibold tabular">{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <LeftOut cells={leftOut} />
      <div className="flex flex-wrap gap-2">
        {next ?? (
          <Button asChild>
            <Link to={paths.crm}>Vai ai contatti</Link>
          </Button>
        )}
        {file && rejected.length + leftOut.length > 0 && (
          <Button
            variant="outline"
            onClick={() => saveFile('da-correggere.csv', rejectedCsv(file, [...rejected, ...leftOut]), 'text/csv')}
          >
            Scarica le righe da correggere
          </Button>
        )}
        {!next && (
          <Button variant="outline" asChild>
            <Link to={paths.crmDuplicates}>Cerca doppioni</Link>
          </Button>
        )}
        <Button variant="outline" onClick={onDone}>
          Importa un altro file
        </Button>
        {batchId && (
          <Button variant="destructive" onClick={() => setUndoing(true)}>
            Annulla importazione
          </Button>
        )}
      </div>
      {isUndoing && batchId && (
        <UndoImport batchId={batchId} fileName={fileName} onClose={() => setUndoing(false)} onUndone={onDone} />
      )}
    </Card>
  )
}

const SHOWN = 20

/** Cells that did not come in although their row did. */
function LeftOut({ cells }: { cells: readonly Rejected[] }) {
  if (cells.length === 0) return null
  return (
    <details className="rounded-md bg-warning-tint px-4 py-3 text-sm">
      <summary className="cursor-pointer font-medium">
        {cells.length === 1 ? 'Una cella non è entrata' : `${formatCount(cells.length)} celle non sono entrate`}: i
        contatti ci sono, e il valore è nelle loro note
      </summary>
      <ul className="mt-2 grid gap-1">
        {cells.slice(0, SHOWN).map(({ row, reason }) => (
          <li key={`${row} ${reason}`} className="break-words">
            Riga {row}: {reason}
          </li>
        ))}
        {cells.length > SHOWN && <li>e altre {formatCount(cells.length - SHOWN)}, nel file da scaricare</li>}
      </ul>
    </details>
  )
}
