import { LockIcon } from 'lucide-react'

import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import {
  type NotificationCategory,
  type NotificationChannel,
  type NotificationChoices,
  useSwitchChannel,
} from '@/data/notification-settings'
import { notificationCategories } from '@/strings/labels'

type Switched = Exclude<NotificationCategory, 'sistema'>

/** What is in a category, in the order of the page. */
const texts: Record<Switched, string> = {
  incassi: 'Fatture scadute, in scadenza, da pagare, pagate',
  attivita: 'I promemoria delle tue attività',
  approvazioni: 'Proposte di Socio che aspettano una tua risposta',
  documenti: 'Documenti letti, da verificare o illeggibili, contratti, importazioni, esportazioni',
  crediti: 'Pochi crediti, crediti che scadono, tetto mensile',
  briefing: 'La giornata in poche righe, all’ora che scegli',
  amministrazione: 'Allarmi dell’installazione, per chi la amministra',
}

const channels: [NotificationChannel, string][] = [
  ['in_app', 'In app'],
  ['mail', 'Email'],
  ['push', 'Push'],
]

type Props = { userId: string; channels: NotificationChoices['channels']; onError: () => void }

/** The matrix of categories and channels; each switch saves itself. */
export function ChannelsCard({ userId, channels: choices, onError }: Props) {
  const switchChannel = useSwitchChannel(userId, onError)
  return (
    <Card>
      <CardHeader>
        <CardTitle>Che cosa, e dove</CardTitle>
        <CardDescription>Vale da subito, anche per email e push già in attesa.</CardDescription>
      </CardHeader>
      <table className="w-full text-left">
        <thead>
          <tr className="border-b text-sm text-muted-foreground">
            <th scope="col" className="py-2 pr-2 font-medium">
              Tipo
            </th>
            {channels.map(([channel, label]) => (
              <th key={channel} scope="col" className="w-12 py-2 text-center sm:w-16 font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {(Object.keys(texts) as Switched[])
            .filter((category) => choices[category])
            .map((category) => (
              <tr key={category}>
                <Name title={notificationCategories[category]} text={texts[category]} />
                {channels.map(([channel, label]) => (
                  <td key={channel} className="text-center align-middle">
                    <label className="inline-grid size-11 cursor-pointer place-items-center">
                      <input
                        type="checkbox"
                        aria-label={`${notificationCategories[category]}: ${label}`}
                        checked={choices[category]?.[channel]}
                        onChange={({ target }) =>
                          switchChannel.mutate({ category, channel, isEnabled: target.checked })
                        }
                        className="size-5 accent-primary"
                      />
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          <tr>
            <Name title={notificationCategories.sistema} text="Avvisi sull’account e sugli acquisti: arrivano sempre" />
            <td colSpan={channels.length} className="text-center text-sm text-muted-foreground">
              <LockIcon aria-hidden className="mr-1.5 inline size-4" />
              Sempre attive
            </td>
          </tr>
        </tbody>
      </table>
    </Card>
  )
}

function Name({ title, text }: { title: string; text: string }) {
  return (
    <th scope="row" className="py-3 pr-2 font-normal">
      <span className="block font-medium">{title}</span>
      <span className="block text-sm text-muted-foreground">{text}</span>
    </th>
  )
}
