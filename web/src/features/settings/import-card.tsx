/** An archive of the person comes back: chosen, sent, brought in, with how far it is on every device. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { UploadIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { LoadError } from '@/components/load-error'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Progress } from '@/components/ui/progress'
import { useUser } from '@/data/auth-context'
import { isUnderWay } from '@/data/data-exports'
import { beginImport, dataImportKey, dataImportQuery, mayImport, sendArchive } from '@/data/data-imports'
import type { Transfer } from '@/lib/resumable-upload'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { formatBytes, uploadFailures, type UploadFailure } from '@/strings/files'
import { formatCount } from '@/strings/numbers'

type Sending = { name: string; bytes: number; sent: number; transfer: Transfer | null }

const STAYS =
  'Non tornano crediti, ordini, password, permessi agli agenti e numero WhatsApp: restano dell’account di prima o si danno di nuovo.'

const failureText = (failure: UploadFailure): string =>
  failure === 'too_large'
    ? 'L’archivio è più grande di 5 GB: scaricalo senza i file originali e riprova.'
    : failure === 'type'
      ? 'Questo file non è uno ZIP: scegli l’archivio scaricato da Socio.'
      : uploadFailures[failure]

const refusalText = (error: unknown): string =>
  error instanceof FunctionError && error.status < 500 ? error.message : uploadFailures.unreachable

export function ImportCard() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const { data, isError, refetch } = useQuery(dataImportQuery(userId))
  const [sending, setSending] = useState<Sending | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const newest = data?.newest ?? null
  const runs = newest !== null && isUnderWay(newest)
  const ran = useRef(false)

  // What came in belongs on every screen.
  useEffect(() => {
    if (ran.current && !runs) void client.invalidateQueries()
    ran.current = runs
  }, [client, runs])

  async function arrived(path: string) {
    try {
      await beginImport(path)
    } catch (error) {
      setProblem(
        error instanceof FunctionError
          ? error.message
          : 'Non riusciamo a raggiungere il server: scegli di nuovo il file.',
      )
    }
    setSending(null)
    await client.invalidateQueries({ queryKey: dataImportKey(userId) })
  }

  async function choose(file: File) {
    setProblem(null)
    try {
      await mayImport()
    } catch (error) {
      setProblem(refusalText(error))
      return
    }
    setSending({ name: file.name, bytes: file.size, sent: 0, transfer: null })
    try {
      const transfer = await sendArchive(userId, file, {
        onProgress: (sent) => setSending((now) => now && { ...now, sent }),
        onFailure: (failure) => {
          setSending(null)
          setProblem(failureText(failure))
        },
        onDone: (path) => void arrived(path),
      })
      setSending((now) => now && { ...now, transfer })
    } catch {
      setSending(null)
      setProblem(uploadFailures.unreachable)
    }
  }

  async function cancel() {
    const transfer = sending?.transfer
    setSending(null)
    await transfer?.cancel()
  }

  if (!data) {
    return isError ? (
      <LoadError text="Non riusciamo a leggere le importazioni in questo momento." onRetry={() => void refetch()} />
    ) : null
  }
  return (
    <Card>
      <CardHeader>
        <CardTitle>Importa un archivio</CardTitle>
        <CardDescription>
          Hai scaricato i tuoi dati da un altro account o da un’altra installazione di Socio? Riportali qui: contatti,
          documenti, fatture, attività, email e conversazioni, al loro posto. {STAYS}
        </CardDescription>
      </CardHeader>
      <div className="grid gap-3 text-sm" aria-live="polite">
        {sending ? (
          <>
            <p className="tabular break-all">
              Carico «{sending.name}»: {formatBytes(sending.sent)} di {formatBytes(sending.bytes)}
            </p>
            <Progress value={sending.sent} max={sending.bytes} aria-label="Caricamento dell’archivio" />
            <Button variant="outline" className="self-start justify-self-start" onClick={() => void cancel()}>
              Annulla
            </Button>
          </>
        ) : runs && newest ? (
          <Running {...newest} />
        ) : (
          <>
            {newest?.state === 'fatto' && <Done {...newest} />}
            {(problem ?? newest?.error) && <p className="text-destructive">{problem ?? newest?.error}</p>}
            {data.isOpen ? (
              <>
                <input
                  ref={field}
                  type="file"
                  accept=".zip,application/zip"
                  aria-label="Archivio da importare"
                  className="sr-only"
                  tabIndex={-1}
                  onChange={({ target }) => {
                    const file = target.files?.[0]
                    target.value = ''
                    if (file) void choose(file)
                  }}
                />
                <Button variant="outline" className="justify-self-start" onClick={() => field.current?.click()}>
                  <UploadIcon aria-hidden />
                  Scegli l’archivio
                </Button>
              </>
            ) : (
              newest?.state !== 'fatto' && (
                <p className="text-muted-foreground">
                  Questo account contiene già dei dati, anche di esempio o nel cestino: un archivio si importa in un
                  account ancora vuoto, così niente si mescola.
                </p>
              )
            )}
          </>
        )}
      </div>
    </Card>
  )
}

type Counts = { rows: number | null; rows_done: number; files: number | null; files_done: number; files_lost: number }

function Running({ rows, rows_done: rowsDone, files, files_done: filesDone, files_lost: filesLost }: Counts) {
  const done = rowsDone + filesDone + filesLost
  return (
    <>
      <p className="tabular">
        {rows === null
          ? 'Apro l’archivio e controllo che sia intero…'
          : rowsDone < rows
            ? `Rimetto a posto i dati: ${formatCount(rowsDone)} righe di ${formatCount(rows)}`
            : `Rimetto a posto i file: ${formatCount(filesDone)} di ${formatCount(files ?? 0)}`}
      </p>
      <Progress
        value={rows === null ? null : done}
        max={Math.max(1, (rows ?? 0) + (files ?? 0))}
        aria-label="Importazione dell’archivio"
      />
      <p className="text-muted-foreground">Puoi chiudere la pagina: continua da sola, e ti avvisiamo alla fine.</p>
    </>
  )
}

function Done({ rows_done: rows, files_done: files, files_lost: lost }: Counts) {
  return (
    <div className="grid gap-2">
      <p className="tabular">
        Archivio importato: {formatCount(rows)} righe e {formatCount(files)} file.
        {lost === 1 && ' Un file non è entrato: controlla lo spazio e i documenti senza file.'}
        {lost > 1 && ` ${formatCount(lost)} file non sono entrati: controlla lo spazio e i documenti senza file.`}
      </p>
      <p className="text-muted-foreground">
        Per ricevere e inviare di nuovo,{' '}
        <Link to={paths.settingsChannels} className="underline underline-offset-4">
          ricollega la casella e WhatsApp
        </Link>
        .
      </p>
    </div>
  )
}
