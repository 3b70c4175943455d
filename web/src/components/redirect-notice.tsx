import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { toast } from 'sonner'

import { redirectFailure } from '@/lib/redirect-failure'
import { authErrorMessage } from '@/strings/auth-errors'

/** Says once why a provider sent the person back without success, and takes it out of the address. */
export function RedirectNotice() {
  const location = useLocation()
  const navigate = useNavigate()
  useEffect(() => {
    const failure = redirectFailure(location)
    if (!failure) return
    toast.error(authErrorMessage(failure, 'Errore durante il login'), { id: 'redirect-failure' })
    void navigate(location.pathname, { replace: true })
  }, [location, navigate])
  return null
}
