/**
 * /auth/confirm: target of the links in all mails of the account, and the place for their six digits.
 *
 * Opening the page consumes nothing: scanners open links too. A person presses the button.
 */
import { Navigate, useSearchParams } from 'react-router'

import { ConfirmCode } from '@/features/auth/confirm-code'
import { ConfirmLink } from '@/features/auth/confirm-link'
import { choosesPassword, purpose } from '@/features/auth/schemas'
import { paths } from '@/paths'

export default function ConfirmPage() {
  const [params] = useSearchParams()
  const token = params.get('token_hash')
  const type = purpose.parse(params.get('type'))
  if (!token) return <ConfirmCode type={type} />
  if (choosesPassword(type)) return <Navigate to={`${paths.resetPassword}?${params.toString()}`} replace />
  // Another link in the same tab starts from the beginning.
  return <ConfirmLink key={token} type={type} token={token} />
}
