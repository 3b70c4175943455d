/** To the login, and from there back to `path`: whoever comes by a link, or whose session ended while they were away. */
import { useEffect } from 'react'
import { Navigate } from 'react-router'

import { rememberReturn } from '@/lib/return-path'
import { paths } from '@/paths'

export function SignInFirst({ path }: { path: string }) {
  useEffect(() => rememberReturn(path), [path])
  return <Navigate to={paths.login} replace />
}
