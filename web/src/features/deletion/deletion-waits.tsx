/** Instead of the product, while the account waits for its deletion: until when, and how to take it back. */
import { HourglassIcon } from 'lucide-react'
import { Link } from 'react-router'

import { CancelDeletion } from '@/components/cancel-deletion'
import { PageMessage } from '@/components/page-message'
import { PageTitle } from '@/components/page-title'
import { Button } from '@/components/ui/button'
import { useAuth } from '@/data/auth-context'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'

export default function DeletionWaits() {
  const { profile } = useAuth()
  if (!profile?.deletion_due_at) return null
  return (
    <>
      <PageTitle>Account in eliminazione</PageTitle>
      <PageMessage
        icon={HourglassIcon}
        title={`Il tuo account verrà eliminato il ${dayAndMonth(profile.deletion_due_at)}`}
        text="Fino ad allora i tuoi dati restano dove sono e non parte più nulla. Se annulli li ritrovi tutti; la casella, il calendario e le notifiche li riattivi tu."
      >
        <div className="mt-3 flex flex-wrap justify-center gap-2">
          <CancelDeletion />
          <Button variant="outline" asChild>
            <Link to={paths.settingsData}>Scarica i tuoi dati</Link>
          </Button>
        </div>
      </PageMessage>
    </>
  )
}
