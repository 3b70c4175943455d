/** «Scarica i tuoi dati»: what shall be in the archive, how far it is, and the archives of before. */
import { useQuery } from '@tanstack/react-query'
import { PackageIcon } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Progress } from '@/components/ui/progress'
import { Spinner } from '@/components/ui/spinner'
import { useUser } from '@/data/auth-context'
import { type DataExport, dataExportsQuery, isUnderWay, useCancelExport, useRequestExport } from '@/data/data-exports'
import { ExportHistory } from '@/features/settings/export-history'
import { FunctionError } from '@/lib/server-errors'
import { exportContent, exportDomains } from '@/strings/data-exports'
import { dataDomain } from '@/strings/privacy'

export function ExportCard() {
  const { id: userId } = useUser()
  const query = useQuery(dataExportsQuery(userId))
  const made = query.data?.find(isUnderWay)
  return (
    <Card>
      <CardHeader>
        <CardTitle>Scarica i tuoi dati</CardTitle>
        <CardDescription>
          Un archivio ZIP con quello che Socio conserva di te. Ogni tabella è in JSON e in CSV per Excel, e un LEGGIMI
          spiega che cosa c’è, che cosa no e per quanto lo teniamo.
        </CardDescription>
      </CardHeader>
      {made ? <UnderWay userId={userId} made={made} /> : <ExportForm userId={userId} />}
      <ExportHistory userId={userId} query={query} />
    </Card>
  )
}

function ExportForm({ userId }: { userId: string }) {
  const request = useRequestExport(userId)
  const [chosen, setChosen] = useState<readonly string[]>(exportDomains)
  const [withFiles, setWithFiles] = useState(true)
  const isAll = chosen.length === exportDomains.length

  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        request.mutate({ domains: isAll ? 'all' : [...chosen], files: withFiles })
      }}
    >
      <fieldset className="grid gap-x-6 sm:grid-cols-2">
        <legend className="mb-1 text-sm font-medium">Che cosa vuoi</legend>
        {exportDomains.map((domain) => (
          <Box
            key={domain}
            isOn={chosen.includes(domain)}
            onChange={(isOn) =>
              setChosen(exportDomains.filter((each) => (each === domain ? isOn : chosen.includes(each))))
            }
          >
            {dataDomain(domain).title}
          </Box>
        ))}
        <Button
          type="button"
          variant="link"
          className="justify-self-start px-0"
          onClick={() => setChosen(isAll ? [] : exportDomains)}
        >
          {isAll ? 'Togli tutto' : 'Scegli tutto'}
        </Button>
      </fieldset>
      <div className="border-t pt-2">
        <Box isOn={withFiles} onChange={setWithFiles}>
          Anche i file originali
        </Box>
      </div>
      {request.isError && (
        <p role="alert" className="rounded-md bg-error-tint p-4 text-sm">
          {request.error instanceof FunctionError
            ? `${request.error.message}.`
            : 'La richiesta non è partita: controlla il collegamento e riprova.'}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" disabled={request.isPending || chosen.length === 0}>
          {request.isPending ? <Spinner aria-hidden /> : <PackageIcon aria-hidden />}
          Prepara l’archivio
        </Button>
        {chosen.length === 0 && <p className="text-sm text-muted-foreground">Scegli almeno una parte.</p>}
      </div>
    </form>
  )
}

function UnderWay({ userId, made }: { userId: string; made: DataExport }) {
  const cancel = useCancelExport(userId)
  const isWaiting = made.state === 'in_attesa'
  return (
    <div className="grid gap-3 rounded-md border p-4">
      <div className="flex items-baseline justify-between gap-4">
        <p className="font-medium" role="status">
          {isWaiting ? 'In coda: tra poco iniziamo' : 'Stiamo preparando il tuo archivio'}
        </p>
        {!isWaiting && <span className="text-sm text-muted-foreground tabular">{made.progress}%</span>}
      </div>
      <Progress value={made.progress} aria-label="Avanzamento dell’archivio" />
      <p className="text-sm text-muted-foreground">
        {exportContent(made)}. Puoi chiudere questa pagina: quando è pronto trovi un avviso.
      </p>
      <Button
        variant="outline"
        size="sm"
        className="justify-self-start"
        disabled={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        Annulla
      </Button>
    </div>
  )
}

type BoxProps = { isOn: boolean; onChange: (isOn: boolean) => void; children: string }

function Box({ isOn, onChange, children }: BoxProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="size-5 shrink-0 accent-primary"
      />
      {children}
    </label>
  )
}
