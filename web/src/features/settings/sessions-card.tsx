import { useQuery } from '@tanstack/react-query'
import { MonitorIcon, SmartphoneIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { type AuthSession, authSessionsQuery, useEndSession, useEndSessions } from '@/data/auth-sessions'
import { outboxQuery } from '@/data/outbox'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { fullDate, relativeTime } from '@/strings/dates'
import { deviceName, isHandheld } from '@/strings/devices'
import { outboxCount } from '@/strings/outbox'

const explain = (error: Error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante il logout'))

/** Where the person is signed in, and how to end that. */
export function SessionsCard() {
  const user = useUser()
  const query = useQuery(authSessionsQuery(user.id))
  const endOne = useEndSession()
  const endMany = useEndSessions()
  const { data: kept = [] } = useQuery(outboxQuery(user.id))
  const [isLeaving, setLeaving] = useState(false)
  // A server without the list can still end sessions.
  const isUnknown = query.error !== null && asAuthFailure(query.error).status === 404

  return (
    <Card>
      <CardHeader>
        <CardTitle>Dispositivi</CardTitle>
        <CardDescription>
          Dove il tuo account è aperto. Se non ne riconosci uno, esci da lì e cambia la password.
        </CardDescription>
      </CardHeader>
      {!isUnknown && (
        <EntryList
          query={query}
          label="Dispositivi"
          empty="Nessun dispositivo."
          error="Non riusciamo a leggere i tuoi dispositivi in questo momento."
          renderRow={(session) => (
            <SessionEntry
              key={session.id}
              session={session}
              isBusy={endOne.isPending}
              onEnd={() =>
                endOne.mutate(session.id, {
                  onSuccess: () => toast.success('Dispositivo disconnesso'),
                  onError: explain,
                })
              }
            />
          )}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="outline"
          disabled={endMany.isPending}
          onClick={() =>
            endMany.mutate('others', {
              onSuccess: () => toast.success('Hai chiuso tutti gli altri accessi'),
              onError: explain,
            })
          }
        >
          Esci da tutti gli altri
        </Button>
        <Button variant="destructive" disabled={endMany.isPending} onClick={() => setLeaving(true)}>
          Esci ovunque
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isLeaving}
        title="Uscire ovunque?"
        text={`Anche da qui: per rientrare dovrai accedere di nuovo.${kept.length > 0 ? ` Qui restano ${outboxCount(kept)}: partono quando rientri con questo account.` : ''}`}
        confirm="Esci ovunque"
        isBusy={endMany.isPending}
        onConfirm={() => endMany.mutate('global', { onError: explain, onSettled: () => setLeaving(false) })}
        onClose={() => setLeaving(false)}
      />
    </Card>
  )
}

type EntryProps = { session: AuthSession; isBusy: boolean; onEnd: () => void }

function SessionEntry({ session, isBusy, onEnd }: EntryProps) {
  const device = deviceName(session.user_agent)
  const lastUse = session.refreshed_at ?? session.created_at
  return (
    <Entry
      icon={isHandheld(session.user_agent) ? SmartphoneIcon : MonitorIcon}
      title={
        <>
          {device} {session.current && <Badge variant="secondary">Questo dispositivo</Badge>}
        </>
      }
      text={
        <>
          <time dateTime={lastUse} title={fullDate(lastUse)}>
            Ultimo uso: {relativeTime(lastUse)}
          </time>
          {session.ip && ` · ${session.ip}`}
        </>
      }
    >
      {!session.current && (
        <Button variant="ghost" size="sm" aria-label={`Esci da qui: ${device}`} disabled={isBusy} onClick={onEnd}>
          Esci da qui
        </Button>
      )}
    </Entry>
  )
}
