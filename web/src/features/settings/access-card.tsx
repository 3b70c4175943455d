import { useQuery } from '@tanstack/react-query'
import { DownloadIcon, MonitorIcon, ShieldIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { authSessionsQuery } from '@/data/auth-sessions'
import { dataExportsQuery } from '@/data/data-exports'
import { adminActionsQuery } from '@/data/privacy'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { paths } from '@/paths'
import { adminActionLabel } from '@/strings/admin-actions'
import { exportContent, exportTitle } from '@/strings/data-exports'
import { fullDate, relativeTime } from '@/strings/dates'
import { deviceName } from '@/strings/devices'

/** Who came to the data: the own devices, the copies that were taken along, and each action of an admin. */
export function AccessCard() {
  const { id: userId } = useUser()
  const sessions = useQuery(authSessionsQuery(userId))
  const downloads = useQuery(dataExportsQuery(userId))
  const actions = useQuery(adminActionsQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Accessi</CardTitle>
        <CardDescription>
          Gli amministratori vedono solo numeri, non i tuoi contenuti. Ogni loro azione sul tuo account resta scritta
          qui, con il motivo, e nessuno la può cancellare.
        </CardDescription>
      </CardHeader>
      <Part title="Azioni degli amministratori">
        <EntryList
          query={actions}
          label="Azioni degli amministratori"
          empty="Nessuna: nessun amministratore è intervenuto sul tuo account."
          error="Non riusciamo a leggere il registro in questo momento."
          renderRow={({ id, action, reason, created_at: at }) => (
            <Entry
              key={id}
              icon={ShieldIcon}
              title={adminActionLabel(action)}
              text={
                <>
                  <time dateTime={at}>{fullDate(at)}</time> · {reason}
                </>
              }
            />
          )}
        />
      </Part>
      <Part title="I tuoi dispositivi" more={{ to: paths.settingsSecurity, text: 'Esci da un dispositivo' }}>
        <EntryList
          query={sessions}
          label="I tuoi dispositivi"
          empty="Nessun dispositivo."
          error="Non riusciamo a leggere i tuoi dispositivi in questo momento."
          renderRow={({ id, user_agent: agent, created_at: at, refreshed_at: used, current }) => (
            <Entry
              key={id}
              icon={MonitorIcon}
              title={`${deviceName(agent)}${current ? ' (questo)' : ''}`}
              text={`Dal ${fullDate(at)} · ultimo uso: ${relativeTime(used ?? at)}`}
            />
          )}
        />
      </Part>
      <Part title="Copie dei dati" more={{ to: paths.settingsData, text: 'Scarica i tuoi dati' }}>
        <EntryList
          query={downloads}
          label="Copie dei dati"
          empty="Nessuna."
          error="Non riusciamo a leggere le copie in questo momento."
          renderRow={(row) => (
            <Entry
              key={row.id}
              icon={DownloadIcon}
              title={exportTitle(row)}
              text={
                <>
                  <time dateTime={row.created_at}>{fullDate(row.created_at)}</time> · {exportContent(row)}
                </>
              }
            />
          )}
        />
      </Part>
    </Card>
  )
}

type PartProps = { title: string; more?: { to: string; text: string }; children: ReactNode }

function Part({ title, more, children }: PartProps) {
  return (
    <section className="grid gap-1 border-t pt-4">
      <h3 className="text-sm font-semibold">{title}</h3>
      {children}
      {more && (
        <Link
          to={more.to}
          className="inline-flex min-h-11 items-center justify-self-start text-sm underline underline-offset-2"
        >
          {more.text}
        </Link>
      )}
    </section>
  )
}
