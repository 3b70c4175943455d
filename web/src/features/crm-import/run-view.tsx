/** An import under way, and its result. */
import { useState } from 'react'

import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Card, CardTitle } from '@/components/ui/card'
import { Progress } from '@/components/ui/progress'
import { type ImportRun, pauseImport, resumeImport } from '@/data/import-run'
import { type ContactsFile, rejectedCsv, rejectedRows } from '@/features/crm-import/contacts-file'
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
  onDone: () => void
}

export function RunView({ run, file, checked, onDone }: Props) {
  return run.state === 'done' || run.state === 'failed' ? (
    <Result run={run} file={file} checked={checked} onDone={onDone} />
  ) : (
    <Sending run={run} />
  )
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

function Result({ run, file, checked, onDone }: Props) {
  const [isUndoing, setUndoing] = useState(false)
  const { fileName, batchId, state, created, updated, skipped, sent, total, errors } = run
  const rejected = rejectedRows(checked ?? { rows: [], rejections: [] }, errors)
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
      <div className="flex flex-wrap gap-2">
        <Button asChild>
          <Link to={paths.crm}>Vai ai contatti</Link>
        </Button>
        {file && rejected.length > 0 && (
          <Button
            variant="outline"
            onClick={() => saveFile('righe-scartate.csv', rejectedCsv(file, rejected), 'text/csv')}
          >
            Scarica le righe scartate
          </Button>
        )}
        <Button variant="outline" asChild>
          <Link to={paths.crmDuplicates}>Cerca doppioni</Link>
        </Button>
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
