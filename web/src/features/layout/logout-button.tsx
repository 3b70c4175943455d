import { useMutation } from '@tanstack/react-query'
import { LogOutIcon } from 'lucide-react'
import { toast } from 'sonner'

import { signOut } from '@/api/auth'
import { Button } from '@/components/ui/button'

/** The guard of the page leads to /login as soon as the session is gone. */
export function LogoutButton() {
  const logout = useMutation({
    mutationFn: signOut,
    onSuccess: () => toast.success('Logout effettuato con successo!'),
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
