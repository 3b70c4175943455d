/** Between file and import: which column is what, what becomes of it, whom it meets, and what people agreed to. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { ImportConsent, MatchRule } from '@/data/import-run'
import type { ImportBatch } from '@/data/imports'
import { Columns } from '@/features/crm-import/column-choice'
import { type ConsentAnswer, ConsentQuestion, consentOf, noConsent } from '@/features/crm-import/consent-question'
import { type ContactsFile, rowsOf } from '@/features/crm-import/contacts-file'
import { MatchQuestion } from '@/features/crm-import/match-question'
import { Preview } from '@/features/crm-import/preview'
import { type Reading, readingOf } from '@/features/crm-import/reading'
import { SheetChoice } from '@/features/crm-import/sheet-choice'
import type { Mapping } from '@/lib/contact-csv-columns'
import { type Checked, checkDrafts } from '@/lib/contact-csv-rows'
import { formatCount } from '@/strings/numbers'

export type Plan = { checked: Checked; reading: Reading; consent: ImportConsent | null }

type Props = {
  file: ContactsFile
  resumed: ImportBatch | null
  /** Another sheet of the same file. */
  onFile: (file: ContactsFile) => void
  onCancel: () => void
  onStart: (plan: Plan) => void
}

export function Preparation({ file, resumed, onFile, onCancel, onStart }: Props) {
  // An import that goes on reads the file as it began.
  const [begun] = useState(() => resumed && readingOf(resumed.id))
  const [mapping, setMapping] = useState<Mapping>(begun?.mapping ?? (file.kind === 'vcard' ? [] : file.guess))
  const [match, setMatch] = useState<MatchRule>(begun?.match ?? 'aggiorna')
  const [answer, setAnswer] = useState<ConsentAnswer>(noConsent)
  const [isAsked, setAsked] = useState(false)
  const { data: checked, isFetching } = useQuery({
    queryKey: ['import-check', file.id, mapping],
    queryFn: ({ signal }) => checkDrafts(rowsOf(file, mapping), signal),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  })
  const ready = checked?.rows.length ?? 0
  const isOther = begun !== null && begun.digest !== file.digest
  const isOtherCount = resumed !== null && checked !== undefined && resumed.total !== ready
  // An import that goes on has answered already.
  const consent = resumed ? null : consentOf(answer)

  function start() {
    setAsked(true)
    if (checked && consent !== 'incomplete')
      onStart({ checked, reading: { mapping, match, digest: file.digest }, consent })
  }

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
      <p className="text-sm text-muted-foreground">
        <strong className="font-semibold text-foreground">{file.name}</strong>
        {file.kind === 'csv' && `, letto come ${file.table.encoding}`}
      </p>
      {file.kind === 'xlsx' && file.names.length > 1 && <SheetChoice file={file} onFile={onFile} />}
      {file.kind !== 'vcard' && <Columns table={file.table} mapping={mapping} onChange={setMapping} />}
      {checked ? <Preview checked={checked} isFetching={isFetching} /> : <Spinner aria-label="Leggo il file" />}
      <MatchQuestion match={match} onChange={setMatch} />
      {!resumed && <ConsentQuestion answer={answer} isAsked={isAsked} onChange={setAnswer} />}
      {isOther && (
        <p role="alert" className="rounded-md bg-error-tint px-4 py-3 text-sm">
          Questo non è il file dell’importazione interrotta, o da allora è cambiato: per riprenderla serve quello di
          prima. Per importare questo ricomincia da «Scegli un altro file».
        </p>
      )}
      {!isOther && isOtherCount && (
        <p role="alert" className="rounded-md bg-error-tint px-4 py-3 text-sm">
          Questo non sembra lo stesso file: l’importazione interrotta aveva {formatCount(resumed.total)} contatti, qui
          ne leggiamo {formatCount(ready)}. Controlla il file e le colonne.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="lg" disabled={ready === 0 || isFetching || isOther || isOtherCount} onClick={start}>
          {ready === 1 ? 'Importa 1 contatto' : `Importa ${formatCount(ready)} contatti`}
        </Button>
        <Button size="lg" variant="outline" onClick={onCancel}>
          Scegli un altro file
        </Button>
      </div>
    </div>
  )
}
