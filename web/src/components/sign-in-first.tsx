/** To the login, and from there back to `path`: whoever comes by a link, or whose session ended while they were away. */
import { useEffect } from 'react'
import { Navigate } from 'react-router'

import { lastPerson, rememberReturn } from '@/lib/return-path'
import { paths } from '@/paths'

export function SignInFirst({ path }: { path: string }) {
  // With «Back» after a logout it is a page of whoever has left: it may lead them back, and nobody else.
  useEffect(() => rememberReturn(path, lastPerson()), [path])
  return <Navigate to={paths.login} replace />
}
