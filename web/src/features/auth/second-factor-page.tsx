/** /login/verifica: the step between the password and the product, for accounts with a second factor. */
import { Navigate } from 'react-router'
import { toast } from 'sonner'

import { PageSpinner } from '@/components/page-spinner'
import { useAuth } from '@/data/auth-context'
import { SecondFactor } from '@/features/auth/second-factor'
import { returnPath } from '@/lib/return-path'
import { paths } from '@/paths'

export default function SecondFactorPage() {
  const { user, halfway, isLoading } = useAuth()
  if (halfway) {
    return (
      <SecondFactor
        key={halfway.id}
        user={halfway}
        onVerified={() => toast.success('Login effettuato con successo!')}
      />
    )
  }
  if (isLoading) return <PageSpinner />
  return <Navigate to={user ? returnPath(paths.landing) : paths.login} replace />
}
