import { useQuery } from '@tanstack/react-query'
import { ShieldIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { adminActionsQuery } from '@/data/privacy'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { paths } from '@/paths'
import { adminActionLabel } from '@/strings/admin-actions'
import { fullDate } from '@/strings/dates'

/** Who touched the account: each action of an admin, with its reason; the own sign-ins and downloads are elsewhere. */
export function AccessCard() {
  const { id: userId } = useUser()
  const query = useQuery(adminActionsQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Che cosa hanno fatto gli amministratori</CardTitle>
        <CardDescription>
          Gli amministratori vedono solo numeri, non i tuoi contenuti. Ogni loro azione sul tuo account resta scritta
          qui, con il motivo, e nessuno la può cancellare.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Azioni degli amministratori"
        empty="Nessuna: nessun amministratore è intervenuto sul tuo account."
        error="Non riusciamo a leggere il registro in questo momento."
        renderRow={({ id, action, reason, created_at }) => (
          <Entry
            key={id}
            icon={ShieldIcon}
            title={adminActionLabel(action)}
            text={
              <>
                <time dateTime={created_at}>{fullDate(created_at)}</time> · {reason}
              </>
            }
          />
        )}
      />
      <p className="text-sm text-muted-foreground">
        I tuoi accessi sono in{' '}
        <Link to={paths.settingsSecurity} className="underline underline-offset-2">
          Sicurezza
        </Link>
        , le copie scaricate in{' '}
        <Link to={paths.settingsData} className="underline underline-offset-2">
          I tuoi dati
        </Link>
        .
      </p>
    </Card>
  )
}
