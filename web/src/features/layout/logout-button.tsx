import { useMutation } from '@tanstack/react-query'
import { LogOutIcon } from 'lucide-react'
import { toast } from 'sonner'

import { signOut } from '@/api/auth'
import { Button } from '@/components/ui/button'
import { unheardLogout } from '@/strings/devices'

/** The guard of the page leads to /login as soon as the session is gone. */
export function LogoutButton({ userId }: { userId: string }) {
  const logout = useMutation({
    mutationFn: () => signOut(userId),
    onSuccess: (isHeard) =>
      toast.success('Logout effettuato con successo!', isHeard ? {} : { description: unheardLogout }),
    onError: (error) => {
      console.warn('Logout failed', error)
      toast.error('Errore durante il logout')
    },
  })
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label="Logout"
      title="Logout"
      disabled={logout.isPending}
      onClick={() => logout.mutate()}
    >
      <LogOutIcon aria-hidden />
    </Button>
  )
}
