/** The two ways to connect a WhatsApp number: at Meta, where the operator has an app, or by the token of an own app. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { RadioCard } from '@/components/radio-card'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { whatsappOfferQuery } from '@/data/whatsapp'
import { WhatsappForm } from '@/features/settings/whatsapp-form'
import { WhatsappGuide } from '@/features/settings/whatsapp-guide'
import { WhatsappSignupButton } from '@/features/settings/whatsapp-signup-button'

export function WhatsappConnect({ userId }: { userId: string }) {
  const { data, isPending } = useQuery(whatsappOfferQuery())
  return (
    <Card>
      <CardHeader>
        <CardTitle>Collega WhatsApp</CardTitle>
        <CardDescription>
          Chi ti scrive diventa un contatto e puoi rispondere da Socio, con l’API ufficiale di WhatsApp (Cloud API).
        </CardDescription>
      </CardHeader>
      {isPending && <Skeleton aria-busy className="h-40" />}
      {data?.signup && (
        <>
          <Signup />
          <details className="text-sm">
            <summary className="flex min-h-11 cursor-pointer items-center font-medium">
              Ho già un’app di Meta: collega con il token
            </summary>
            <div className="pt-2">
              <WhatsappForm userId={userId} />
            </div>
          </details>
        </>
      )}
      {!isPending && !data?.signup && <WhatsappForm userId={userId} />}
    </Card>
  )
}

function Signup() {
  const [way, setWay] = useState<'phone' | 'socio'>('phone')
  return (
    <div className="grid gap-4">
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="sr-only">Dove usi il numero</legend>
        <RadioCard isLong name="whatsapp_way" checked={way === 'phone'} onChange={() => setWay('phone')}>
          <span className="grid gap-1">
            <span className="font-medium">Anche sul telefono</span>
            <span>Il numero resta nell’app WhatsApp Business e tu rispondi da dove vuoi.</span>
          </span>
        </RadioCard>
        <RadioCard isLong name="whatsapp_way" checked={way === 'socio'} onChange={() => setWay('socio')}>
          <span className="grid gap-1">
            <span className="font-medium">Solo da Socio</span>
            <span>Per un numero nuovo, che non usi in nessuna app.</span>
          </span>
        </RadioCard>
      </fieldset>
      <WhatsappGuide way={way} />
      {way === 'phone' && (
        <p className="text-sm text-pretty text-muted-foreground">
          Serve l’app WhatsApp Business 2.24.17 o successiva. WhatsApp Web e gli altri dispositivi si scollegano, poi li
          ricolleghi. Gruppi e chiamate restano solo sul telefono.
        </p>
      )}
      <WhatsappSignupButton isOnPhone={way === 'phone'} label="Collega con Meta" />
    </div>
  )
}
