/** /settings/data: everything that is held of the person, to take along, for how long it is kept, and how it goes. */
import { useQuery } from '@tanstack/react-query'
import { DownloadIcon } from 'lucide-react'
import { useState } from 'react'

import { tellFailure } from '@/components/save-failure'
import { SettingsScreen } from '@/components/settings-screen'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import { useAuth, useUser } from '@/data/auth-context'
import { dataExportsQuery, useBeginExport } from '@/data/data-exports'
import { DeletionCard } from '@/features/settings/deletion-card'
import { ImportCard } from '@/features/settings/import-card'
import { RetentionCard } from '@/features/settings/retention-card'
import { fullDate } from '@/strings/dates'
import { formatBytes } from '@/strings/files'

export default function DataPage() {
  const { id: userId } = useUser()
  const isWaiting = Boolean(useAuth().profile?.deletion_due_at)
  const begin = useBeginExport(userId)
  const { data: downloads = [] } = useQuery(dataExportsQuery(userId))
  const [withFiles, setWithFiles] = useState(true)

  async function download() {
    try {
      // The browser saves it, shows how far it is, and this page stays.
      window.location.assign(await begin.mutateAsync(withFiles))
    } catch (error) {
      tellFailure(error)
    }
  }

  return (
    <SettingsScreen title="I tuoi dati">
      {isWaiting && <DeletionCard />}
      <Card>
        <CardHeader>
          <CardTitle>Scarica tutto</CardTitle>
          <CardDescription>
            Un archivio ZIP con quello che Socio conserva di te: contatti, documenti, fatture, attività, conversazioni,
            ricordi, crediti e accessi. Ogni tabella è in JSON e in CSV per Excel, e un LEGGIMI spiega che cosa c’è e
            che cosa no.
          </CardDescription>
        </CardHeader>
        <label className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            checked={withFiles}
            onChange={({ target }) => setWithFiles(target.checked)}
            className="size-5 accent-primary"
          />
          Anche i file originali
        </label>
        <Button className="self-start" disabled={begin.isPending} onClick={() => void download()}>
          {begin.isPending ? <Spinner aria-hidden /> : <DownloadIcon aria-hidden />}
          Scarica i tuoi dati
        </Button>
        {downloads.length > 0 && (
          <div className="grid gap-1 text-sm text-muted-foreground">
            <h2 className="font-medium text-foreground">Ultimi scaricamenti</h2>
            <ul className="grid gap-1 tabular">
              {downloads.map(({ id, created_at: at, bytes, with_files: hadFiles }) => (
                <li key={id}>
                  {fullDate(at)} · {hadFiles ? 'con i file' : 'senza file'} ·{' '}
                  {bytes === null ? 'non completato' : formatBytes(bytes)}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Card>
      {!isWaiting && <ImportCard />}
      <RetentionCard />
      {!isWaiting && <DeletionCard />}
    </SettingsScreen>
  )
}
