import { useMutation, useQuery } from '@tanstack/react-query'
import { LogOutIcon } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'

import { signOut } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { discardOutbox, outboxQuery } from '@/data/outbox'
import { LogoutDialog } from '@/features/layout/logout-dialog'
import { unheardLogout } from '@/strings/devices'

/** The guard of the page leads to /login as soon as the session is gone. */
export function LogoutButton({ userId }: { userId: string }) {
  const { data: entries = [] } = useQuery(outboxQuery(userId))
  const [isAsked, setAsked] = useState(false)
  const logout = useMutation({
    mutationFn: async (discards: boolean) => {
      if (discards) await discardOutbox(userId)
      return signOut(userId)
    },
    onSuccess: (isHeard) =>
      toast.success('Logout effettuato con successo!', isHeard ? {} : { description: unheardLogout }),
    onError: (error) => {
      console.warn('Logout failed', error)
      toast.error('Errore durante il logout')
    },
  })
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Logout"
        title="Logout"
        disabled={logout.isPending}
        onClick={() => (entries.length > 0 ? setAsked(true) : logout.mutate(false))}
      >
        <LogOutIcon aria-hidden />
      </Button>
      {isAsked && (
        <LogoutDialog
          entries={entries}
          isBusy={logout.isPending}
          onLogout={(discards) => logout.mutate(discards)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
