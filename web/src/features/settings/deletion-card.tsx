import { Link } from 'react-router'

import { CancelDeletion } from '@/components/cancel-deletion'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useAuth } from '@/data/auth-context'
import { paths } from '@/paths'
import { dayAndMonth } from '@/strings/dates'

/** The way to the deletion of the account, or back from it. */
export function DeletionCard() {
  const { profile } = useAuth()
  const dueAt = profile?.deletion_due_at ?? null
  return (
    <Card>
      <CardHeader>
        <CardTitle>Elimina l’account</CardTitle>
        <CardDescription>
          {dueAt === null
            ? 'Prima ti facciamo vedere che cosa va via, che cosa resta e perché. Poi hai 30 giorni per cambiare idea.'
            : `Il tuo account verrà eliminato il ${dayAndMonth(dueAt)}.`}
        </CardDescription>
      </CardHeader>
      <div>
        {dueAt === null ? (
          <Button variant="outline" asChild>
            <Link to={paths.settingsDeletion}>Vedi che cosa succede</Link>
          </Button>
        ) : (
          <CancelDeletion />
        )}
      </div>
    </Card>
  )
}
