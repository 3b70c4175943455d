/** /settings/data/delete: what the deletion takes along, what it asks first, and the deletion itself. */
import { useQuery } from '@tanstack/react-query'

import { LoadError } from '@/components/load-error'
import { SettingsScreen } from '@/components/settings-screen'
import { Card } from '@/components/ui/card'
import { Skeleton } from '@/components/ui/skeleton'
import { deletionPreviewQuery } from '@/data/account-deletion'
import { useUser } from '@/data/auth-context'
import { DeletionForm } from '@/features/settings/deletion-form'
import { DeletionPreviewCards } from '@/features/settings/deletion-preview'

export default function DeletionPage() {
  const { id: userId } = useUser()
  const { data: preview, isError, refetch } = useQuery(deletionPreviewQuery(userId))
  return (
    <SettingsScreen title="Elimina l’account">
      {isError && preview === undefined && (
        <Card>
          <LoadError
            text="Non riusciamo a leggere che cosa c’è nel tuo account in questo momento."
            onRetry={() => void refetch()}
          />
        </Card>
      )}
      {!isError && preview === undefined && <Skeleton aria-busy className="h-96" />}
      {preview && (
        <>
          <DeletionPreviewCards preview={preview} />
          <DeletionForm userId={userId} preview={preview} />
        </>
      )}
    </SettingsScreen>
  )
}
