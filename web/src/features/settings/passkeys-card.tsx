import { useQuery } from '@tanstack/react-query'
import type { PasskeyListItem } from '@supabase/supabase-js'
import { FingerprintIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { passkeysQuery, useAddPasskey, useRemovePasskey, useRenamePasskey } from '@/data/passkeys'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { NameDialog } from '@/features/settings/name-dialog'
import { canUseWebAuthn } from '@/lib/webauthn'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { dayAndMonth, relativeTime } from '@/strings/dates'
import { deviceName } from '@/strings/devices'

type Step = { name: 'none' } | { name: 'add' } | { name: 'rename' | 'remove'; passkey: PasskeyListItem }

const none: Step = { name: 'none' }
const nameOf = (passkey: PasskeyListItem): string => passkey.friendly_name || 'Passkey'

function history({ created_at, last_used_at }: PasskeyListItem): string {
  const used = last_used_at ? `usata ${relativeTime(last_used_at)}` : 'mai usata'
  return `Dal ${dayAndMonth(created_at)}, ${used}`
}

/** Signing in without a password. Shown only where the server offers it. */
export function PasskeysCard() {
  const user = useUser()
  const query = useQuery(passkeysQuery(user.id))
  const add = useAddPasskey()
  const rename = useRenamePasskey()
  const remove = useRemovePasskey()
  const [step, setStep] = useState<Step>(none)
  const close = () => setStep(none)

  async function attempt(run: () => Promise<void>, success: string): Promise<void> {
    try {
      await run()
      toast.success(success)
      close()
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la modifica delle passkey'))
    }
  }

  async function addNamed(name: string): Promise<void> {
    const isNamed = await add.mutateAsync(name)
    if (!isNamed) toast.info('La passkey funziona, ma non ha preso il nome che hai scelto: prova con «Rinomina».')
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Passkey</CardTitle>
        <CardDescription>
          Entri con l’impronta, il volto o il PIN del tuo dispositivo, senza scrivere la password.
        </CardDescription>
      </CardHeader>
      <EntryList
        query={query}
        label="Passkey"
        empty="Non ne hai ancora."
        error="Non riusciamo a leggere le tue passkey in questo momento."
        renderRow={(passkey) => (
          <Entry key={passkey.id} icon={FingerprintIcon} title={nameOf(passkey)} text={history(passkey)}>
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Rinomina ${nameOf(passkey)}`}
              onClick={() => setStep({ name: 'rename', passkey })}
            >
              Rinomina
            </Button>
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Elimina ${nameOf(passkey)}`}
              onClick={() => setStep({ name: 'remove', passkey })}
            >
              Elimina
            </Button>
          </Entry>
        )}
      />
      {canUseWebAuthn() ? (
        <Button variant="outline" className="justify-self-start self-start" onClick={() => setStep({ name: 'add' })}>
          Aggiungi una passkey
        </Button>
      ) : (
        <p className="text-sm text-muted-foreground">
          Da questo browser o a questo indirizzo non se ne possono aggiungere: servono una connessione sicura e un nome
          di dominio.
        </p>
      )}
      {step.name === 'add' && (
        <NameDialog
          title="Aggiungi una passkey"
          text="Dalle un nome per riconoscerla, poi segui le indicazioni del browser."
          submit="Continua"
          name={deviceName(navigator.userAgent)}
          onSubmit={(name) => attempt(() => addNamed(name), 'Passkey aggiunta')}
          onClose={close}
        />
      )}
      {step.name === 'rename' && (
        <NameDialog
          title="Rinomina la passkey"
          text="Il nome lo vedi solo tu."
          submit="Salva"
          name={nameOf(step.passkey)}
          onSubmit={(friendlyName) =>
            attempt(() => rename.mutateAsync({ id: step.passkey.id, friendlyName }), 'Passkey rinominata')
          }
          onClose={close}
        />
      )}
      <ConfirmDialog
        isOpen={step.name === 'remove'}
        title="Eliminare la passkey?"
        text="Non potrai più usarla per accedere a Socio. Cancellala poi anche dal tuo dispositivo."
        confirm="Elimina"
        isBusy={remove.isPending}
        onConfirm={() =>
          step.name === 'remove' && void attempt(() => remove.mutateAsync(step.passkey.id), 'Passkey eliminata')
        }
        onClose={close}
      />
    </Card>
  )
}
