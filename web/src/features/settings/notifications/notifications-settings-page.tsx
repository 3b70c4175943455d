/** /settings/notifications: what Socio tells, on which channels, and when. */
import { useQuery } from '@tanstack/react-query'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { SettingsScreen } from '@/components/settings-screen'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { notificationChoicesQuery, useSaveNotificationSettings } from '@/data/notification-settings'
import { ChannelsCard } from '@/features/settings/notifications/channels-card'
import { DevicesCard } from '@/features/settings/notifications/devices-card'
import { MutedCard } from '@/features/settings/notifications/muted-card'
import { TimesCard } from '@/features/settings/notifications/times-card'

const couldNotSave = () => toast.error('Non siamo riusciti a salvare. Riprova.')

export default function NotificationsSettingsPage() {
  const { id: userId } = useUser()
  const { data, isPending, refetch } = useQuery(notificationChoicesQuery(userId))
  const save = useSaveNotificationSettings(userId, couldNotSave)
  return (
    <SettingsScreen title="Notifiche">
      {isPending && <Skeleton aria-busy className="h-96" />}
      {!isPending && !data && (
        <LoadError text="Non riusciamo a leggere le tue preferenze in questo momento." onRetry={() => void refetch()} />
      )}
      {data && (
        <>
          <ChannelsCard userId={userId} channels={data.channels} onError={couldNotSave} />
          <DevicesCard userId={userId} />
          <TimesCard
            settings={data.settings}
            wantsBriefing={data.channels.briefing.mail || data.channels.briefing.push}
            onSave={save.mutate}
          />
          <MutedCard muted={data.settings.muted} onSave={save.mutate} />
        </>
      )}
    </SettingsScreen>
  )
}
