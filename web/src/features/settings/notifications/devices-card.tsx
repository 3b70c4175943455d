import { useQuery } from '@tanstack/react-query'
import { BellRingIcon } from 'lucide-react'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { Spinner } from '@/components/ui/spinner'
import {
  type PushDevice,
  type PushDevices,
  pushDevicesQuery,
  type ThisDevice,
  useRemoveDevice,
  useSwitchPush,
} from '@/data/push-devices'
import { fullDate, relativeTime } from '@/strings/dates'
import { pushServiceName } from '@/strings/devices'

/** Why a browser cannot be switched on. */
const obstacles: Partial<Record<ThisDevice, string>> = {
  unsupported: 'Questo browser non può ricevere notifiche push. Prova con Chrome, Edge, Firefox o Safari aggiornati.',
  needs_home_screen:
    'Su iPhone e iPad le notifiche arrivano solo all’app nella schermata Home: tocca Condividi, poi «Aggiungi a Home», apri Socio da lì e torna in questa pagina.',
  denied:
    'Il browser blocca le notifiche di Socio. Per permetterle apri le impostazioni del sito dall’icona accanto all’indirizzo, alla voce Notifiche scegli «Consenti», poi ricarica la pagina.',
}

/** Push on this device, asked for by its switch only, and the other devices of this person. */
export function DevicesCard({ userId }: { userId: string }) {
  const { data, isPending, refetch } = useQuery(pushDevicesQuery(userId))
  return (
    <Card>
      <CardHeader>
        <CardTitle>Notifiche su questo dispositivo</CardTitle>
        <CardDescription>
          Il canale Push arriva ai dispositivi accesi qui, anche a Socio chiuso. Sullo schermo non compare che cosa è
          successo: solo che c’è una novità.
        </CardDescription>
      </CardHeader>
      {isPending && <Skeleton aria-busy className="h-11" />}
      {!isPending && !data && (
        <LoadError
          text="Non riusciamo a leggere i tuoi dispositivi in questo momento."
          onRetry={() => void refetch()}
        />
      )}
      {data && (
        <>
          <ThisOne userId={userId} here={data.here} />
          {data.devices.length > 0 && <Devices userId={userId} {...data} />}
        </>
      )}
    </Card>
  )
}

function ThisOne({ userId, here }: { userId: string; here: ThisDevice }) {
  const turn = useSwitchPush(userId)
  const obstacle = obstacles[here]
  if (obstacle) return <p className="rounded-md bg-warning-tint px-4 py-3 text-sm text-pretty">{obstacle}</p>
  return (
    <>
      <label className="flex min-h-11 cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={turn.isPending ? turn.variables : here === 'on'}
          disabled={turn.isPending}
          onChange={({ target }) => turn.mutate(target.checked)}
          className="size-5 accent-primary"
        />
        <span className="font-medium">Ricevi notifiche push qui</span>
        {turn.isPending && <Spinner />}
      </label>
      {turn.isError && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-error-tint px-4 py-2 text-sm">
          <p className="min-w-40 flex-1">
            {turn.variables
              ? 'Non siamo riusciti ad accendere le notifiche su questo dispositivo.'
              : 'Non siamo riusciti a spegnere le notifiche su questo dispositivo.'}
          </p>
          <Button variant="outline" size="sm" onClick={() => turn.mutate(turn.variables)}>
            Riprova
          </Button>
        </div>
      )}
    </>
  )
}

function Devices({ userId, devices, hereId }: PushDevices & { userId: string }) {
  const remove = useRemoveDevice(userId)
  return (
    <ul aria-label="Dispositivi con notifiche" className="divide-y">
      {devices.map((device) => (
        <Device
          key={device.id}
          device={device}
          isHere={device.id === hereId}
          isBusy={remove.isPending}
          onRemove={() =>
            remove.mutate(device.id, {
              onSuccess: () => toast.success('Dispositivo rimosso'),
              onError: () => toast.error('Non siamo riusciti a rimuovere il dispositivo. Riprova.'),
            })
          }
        />
      ))}
    </ul>
  )
}

type DeviceProps = { device: PushDevice; isHere: boolean; isBusy: boolean; onRemove: () => void }

function Device({ device, isHere, isBusy, onRemove }: DeviceProps) {
  const name = pushServiceName(device.endpoint)
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 py-2">
      <BellRingIcon aria-hidden className="size-5 shrink-0 text-primary" />
      <div className="grid min-w-40 flex-1">
        <span className="font-medium">
          {name} {isHere && <Badge variant="secondary">Questo dispositivo</Badge>}
        </span>
        <time
          dateTime={device.created_at}
          title={fullDate(device.created_at)}
          className="text-sm text-muted-foreground"
        >
          Acceso {relativeTime(device.created_at)}
        </time>
      </div>
      <Button variant="ghost" aria-label={`Rimuovi: ${name}`} disabled={isBusy} onClick={onRemove}>
        Rimuovi
      </Button>
    </li>
  )
}
