import type { Provider, UserIdentity } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { LinkIcon, MailIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { absolute } from '@/api/auth'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { identitiesQuery, useLinkIdentity, useUnlinkIdentity } from '@/data/identities'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { paths } from '@/paths'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { providerName } from '@/strings/providers'

function addressOf({ identity_data }: UserIdentity): string | undefined {
  const email: unknown = identity_data?.email
  return typeof email === 'string' ? email : undefined
}

const explain = (error: Error) =>
  toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante la modifica degli account collegati'))

/** The ways in by an account elsewhere; shown where the server offers some, or the person has one. */
export function IdentitiesCard({ providers }: { providers: Provider[] }) {
  const user = useUser()
  const query = useQuery(identitiesQuery(user.id))
  const link = useLinkIdentity()
  const unlink = useUnlinkIdentity()
  const [leaving, setLeaving] = useState<UserIdentity | null>(null)
  const identities = query.data ?? []
  const linked = new Set(identities.map(({ provider }) => provider))
  const offered = providers.filter((provider) => !linked.has(provider))
  if (providers.length === 0 && identities.every(({ provider }) => provider === 'email')) return null

  function disconnect(identity: UserIdentity): void {
    unlink.mutate(identity, {
      onSuccess: () => toast.success('Account scollegato'),
      onError: explain,
      onSettled: () => setLeaving(null),
    })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Account collegati</CardTitle>
        <CardDescription>Puoi entrare in Socio con ognuno di questi.</CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Account collegati"
        empty="Nessun account collegato."
        error="Non riusciamo a leggere i tuoi account collegati in questo momento."
        renderRow={(identity) => (
          <Entry
            key={identity.identity_id}
            icon={identity.provider === 'email' ? MailIcon : LinkIcon}
            title={providerName(identity.provider)}
            text={addressOf(identity)}
          >
            {identity.provider !== 'email' && identities.length > 1 && (
              <Button
                variant="ghost"
                size="sm"
                aria-label={`Scollega ${providerName(identity.provider)}`}
                onClick={() => setLeaving(identity)}
              >
                Scollega
              </Button>
            )}
          </Entry>
        )}
      />
      {query.data && offered.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {offered.map((provider) => (
            <Button
              key={provider}
              variant="outline"
              disabled={link.isPending}
              onClick={() =>
                link.mutate({ provider, returnTo: absolute(paths.settingsSecurity) }, { onError: explain })
              }
            >
              Collega {providerName(provider)}
            </Button>
          ))}
        </div>
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        title={`Scollegare ${providerName(leaving?.provider ?? '')}?`}
        text="Non potrai più entrare in Socio con questo account finché non lo colleghi di nuovo."
        confirm="Scollega"
        isBusy={unlink.isPending}
        onConfirm={() => leaving && disconnect(leaving)}
        onClose={() => setLeaving(null)}
      />
    </Card>
  )
}
