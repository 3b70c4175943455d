import type { Factor } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { KeyRoundIcon, LifeBuoyIcon, SmartphoneIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { ConfirmDialog } from '@/components/confirm-dialog'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useAuth, useUser } from '@/data/auth-context'
import { factorsQuery, useAddSecurityKey, useRemoveFactor } from '@/data/factors'
import { recoveryCodesQuery, useMakeRecoveryCodes } from '@/data/recovery-codes'
import { Entry, EntryList } from '@/features/settings/entry-list'
import { NameDialog } from '@/features/settings/name-dialog'
import { RecoveryCodes } from '@/features/settings/recovery-codes'
import { TotpDialog } from '@/features/settings/totp-dialog'
import { canUseWebAuthn } from '@/lib/webauthn'
import { asAuthFailure, authErrorMessage } from '@/strings/auth-errors'
import { dayAndMonth } from '@/strings/dates'
import { factorTypes } from '@/strings/labels'

type Step =
  | { name: 'none' }
  // Names are chosen at the start: the list changes while the dialog is still open.
  | { name: 'totp' | 'key'; factorName: string }
  | { name: 'remove'; factor: Factor }
  | { name: 'renew' }
  | { name: 'codes'; codes: string[] }

const none: Step = { name: 'none' }

/** A name that no factor has yet: «App di autenticazione», then «App di autenticazione 2». */
function freeName(base: string, factors: Factor[]): string {
  const taken = new Set(factors.map((factor) => factor.friendly_name))
  let name = base
  for (let count = 2; taken.has(name); count += 1) name = `${base} ${count}`
  return name
}

/** Second factors and the recovery codes that stand in for them. */
export function FactorsCard() {
  const user = useUser()
  const { isRecovered } = useAuth()
  const query = useQuery(factorsQuery(user.id))
  const factors = query.data?.usable ?? []
  const hasCodes = query.data?.hasRecoveryCodes ?? false
  const hasFactors = factors.length > 0
  const isLast = factors.length === 1
  // The codes go with the last factor, and with them what they proved: the server would refuse what comes next.
  const isLocked = isLast && isRecovered
  const codes = useQuery({ ...recoveryCodesQuery(user.id), enabled: hasCodes })
  const makeCodes = useMakeRecoveryCodes()
  const addKey = useAddSecurityKey()
  const remove = useRemoveFactor()
  const [step, setStep] = useState<Step>(none)
  const close = () => setStep(none)
  const addApp = () => setStep({ name: 'totp', factorName: freeName('App di autenticazione', factors) })

  async function showCodes(replace: boolean): Promise<void> {
    try {
      setStep({ name: 'codes', codes: await makeCodes.mutateAsync({ replace }) })
    } catch (thrown) {
      close()
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la creazione dei codici'))
    }
  }

  /** Whoever has just got a first factor needs a way around its loss, now and not one day. */
  async function afterEnrolment(): Promise<void> {
    toast.success('Secondo fattore attivo')
    if (hasFactors) close()
    else await showCodes(false)
  }

  async function enrolKey(name: string): Promise<void> {
    try {
      await addKey.mutateAsync(name)
      await afterEnrolment()
    } catch (thrown) {
      toast.error(authErrorMessage(asAuthFailure(thrown), 'Errore durante la registrazione della chiave'))
    }
  }

  function removeFactor(factor: Factor): void {
    remove.mutate(
      { id: factor.id, withCodes: isLast && hasCodes },
      {
        onSuccess: () => toast.success('Secondo fattore tolto'),
        onError: (error) => toast.error(authErrorMessage(asAuthFailure(error), 'Errore durante la rimozione')),
        onSettled: close,
      },
    )
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Verifica in due passaggi</CardTitle>
        <CardDescription>
          Dopo la password Socio chiede un codice o una chiave che hai solo tu: una password rubata non basta più.
        </CardDescription>
      </CardHeader>
      {isRecovered && (
        <p className="rounded-md bg-warning-tint p-4 text-sm">
          Hai usato un codice di recupero per entrare. Se hai perso il telefono o la chiave, aggiungine un altro e poi
          togli quello vecchio.
        </p>
      )}
      <EntryList
        query={{ ...query, data: query.data?.usable }}
        label="Secondi fattori"
        empty="Non è ancora attiva. Ti serve un’app sul telefono e ci vogliono due minuti."
        error="Non riusciamo a leggere i tuoi secondi fattori in questo momento."
        renderRow={(factor) => (
          <Entry
            key={factor.id}
            icon={factor.factor_type === 'webauthn' ? KeyRoundIcon : SmartphoneIcon}
            title={factor.friendly_name || factorTypes[factor.factor_type]}
            text={`Dal ${dayAndMonth(factor.created_at)}`}
          >
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Togli ${factor.friendly_name || factorTypes[factor.factor_type]}`}
              onClick={() => setStep({ name: 'remove', factor })}
            >
              Togli
            </Button>
          </Entry>
        )}
      />
      {hasFactors && (
        <ul aria-label="Codici di recupero" className="border-t">
          <Entry
            icon={LifeBuoyIcon}
            title="Codici di recupero"
            text={
              hasCodes
                ? codes.data && `Ne restano ${codes.data.remaining} su ${codes.data.total}`
                : 'Non li hai ancora: senza, se perdi il secondo fattore resti fuori.'
            }
          >
            <Button
              variant={hasCodes ? 'ghost' : 'secondary'}
              size="sm"
              // On a phone the row draws its button to the left by its padding, which a filled one shows.
              className={hasCodes ? undefined : 'ml-3 sm:ml-0'}
              disabled={makeCodes.isPending}
              onClick={() => (hasCodes ? setStep({ name: 'renew' }) : void showCodes(false))}
            >
              {hasCodes ? 'Creane dieci nuovi' : 'Crea i codici'}
            </Button>
          </Entry>
        </ul>
      )}
      {query.data && (
        <div className="flex flex-wrap gap-2">
          <Button variant={hasFactors ? 'outline' : 'default'} onClick={addApp}>
            Aggiungi un’app
          </Button>
          {canUseWebAuthn() && (
            <Button
              variant="outline"
              onClick={() => setStep({ name: 'key', factorName: freeName('Chiave di sicurezza', factors) })}
            >
              Aggiungi una chiave
            </Button>
          )}
        </div>
      )}
      {step.name === 'totp' && (
        <TotpDialog name={step.factorName} onDone={() => void afterEnrolment()} onClose={close} />
      )}
      {step.name === 'key' && (
        <NameDialog
          title="Aggiungi una chiave di sicurezza"
          text="Dalle un nome per riconoscerla, poi segui le indicazioni del browser."
          submit="Continua"
          name={step.factorName}
          onSubmit={enrolKey}
          onClose={close}
        />
      )}
      <ConfirmDialog
        isOpen={step.name === 'remove' && isLocked}
        title="Prima aggiungi un altro fattore"
        text="Hai usato un codice di recupero per entrare, e i codici valgono solo insieme a un fattore: aggiungi una nuova app, poi togli questo."
        confirm="Aggiungi un’app"
        isBusy={false}
        onConfirm={addApp}
        onClose={close}
      />
      <ConfirmDialog
        isOpen={step.name === 'remove' && !isLocked}
        title="Togliere il secondo fattore?"
        text={
          isLast
            ? 'È l’ultimo: per accedere basterà di nuovo la password, e i codici di recupero smettono di valere.'
            : 'Per accedere useremo gli altri che hai.'
        }
        confirm="Togli"
        isBusy={remove.isPending}
        onConfirm={() => step.name === 'remove' && removeFactor(step.factor)}
        onClose={close}
      />
      <ConfirmDialog
        isOpen={step.name === 'renew'}
        title="Creare dieci codici nuovi?"
        text="Quelli di prima smettono di valere subito."
        confirm="Crea nuovi codici"
        isBusy={makeCodes.isPending}
        onConfirm={() => void showCodes(true)}
        onClose={close}
      />
      {step.name === 'codes' && <RecoveryCodes codes={step.codes} onSaved={close} />}
    </Card>
  )
}
