import type { OAuthGrant } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { AppWindowIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { grantsQuery, useRevokeGrant } from '@/data/oauth'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { dayAndMonth } from '@/strings/dates'

/** The applications elsewhere that the person lets in, and how to shut them out. */
export function ApplicationsCard() {
  const user = useUser()
  const query = useQuery(grantsQuery(user.id))
  const revoke = useRevokeGrant()
  const [leaving, setLeaving] = useState<OAuthGrant | null>(null)

  function shutOut({ client }: OAuthGrant): void {
    revoke.mutate(client.id, {
      onSuccess: () => toast.success('Accesso tolto'),
      onError: (error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante la rimozione')),
      onSettled: () => setLeaving(null),
    })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Applicazioni collegate</CardTitle>
        <CardDescription>Possono usare il tuo account perché hai dato il consenso.</CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Applicazioni collegate"
        empty="Nessuna applicazione usa il tuo account."
        error="Non riusciamo a leggere le applicazioni collegate in questo momento."
        renderRow={(grant) => (
          <Entry
            key={grant.client.id}
            icon={AppWindowIcon}
            title={grant.client.name}
            text={`Dal ${dayAndMonth(grant.granted_at)}`}
          >
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Togli l’accesso a ${grant.client.name}`}
              onClick={() => setLeaving(grant)}
            >
              Togli l’accesso
            </Button>
          </Entry>
        )}
      />
      <ConfirmDialog
        isOpen={leaving !== null}
        title={`Togliere l’accesso a ${leaving?.client.name ?? ''}?`}
        text="L’applicazione esce subito dal tuo account. Per rientrare dovrà chiederti di nuovo il consenso."
        confirm="Togli l’accesso"
        isBusy={revoke.isPending}
        onConfirm={() => leaving && shutOut(leaving)}
        onClose={() => setLeaving(null)}
      />
    </Card>
  )
}
