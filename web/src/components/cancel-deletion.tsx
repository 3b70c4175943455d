import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { useCancelDeletion } from '@/data/account-deletion'
import { useUser } from '@/data/auth-context'
import { FunctionError } from '@/lib/server-errors'

/** Takes the deletion of the account back. */
export function CancelDeletion() {
  const { id: userId } = useUser()
  const cancel = useCancelDeletion(userId)

  function takeBack(): void {
    cancel.mutate(undefined, {
      onSuccess: () => toast.success('Eliminazione annullata', { description: 'Il tuo account resta com’era.' }),
      onError: (error) =>
        toast.error(error instanceof FunctionError ? error.message : 'Non siamo riusciti ad annullare. Riprova.'),
    })
  }

  return (
    <Button disabled={cancel.isPending} onClick={takeBack}>
      {cancel.isPending && <Spinner aria-hidden />}
      Annulla l’eliminazione
    </Button>
  )
}
