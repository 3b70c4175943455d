/** /settings/data: everything that is held of the person, to take along, for how long it is kept, and how it goes. */
import { SettingsScreen } from '@/components/settings-screen'
import { useAuth } from '@/data/auth-context'
import { DeletionCard } from '@/features/settings/deletion-card'
import { ExportCard } from '@/features/settings/export-card'
import { ImportCard } from '@/features/settings/import-card'
import { RetentionCard } from '@/features/settings/retention-card'

export default function DataPage() {
  const isWaiting = Boolean(useAuth().profile?.deletion_due_at)
  return (
    <SettingsScreen title="I tuoi dati">
      {isWaiting && <DeletionCard />}
      <ExportCard />
      {!isWaiting && <ImportCard />}
      <RetentionCard />
      {!isWaiting && <DeletionCard />}
    </SettingsScreen>
  )
}
