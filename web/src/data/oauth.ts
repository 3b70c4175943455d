/** Applications elsewhere that ask to use the person's account, and those that may (OAuth 2.1, LOGIN-27). */
import type { OAuthAuthorizationDetails } from '@supabase/supabase-js'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { accepted, done } from '@/data/gotrue'
import { supabase } from '@/lib/supabase'

const GRANTS = ['oauth-grants'] as const

/** What a request is called; auth-js puts it into a path as it is. */
const REQUEST_ID = /^[\w-]{8,128}$/

export const isRequestId = (text: string): boolean => REQUEST_ID.test(text)

const SCRIPTS = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])

/** Leaves for the application, a page or an app with a scheme of its own; the server refuses scripts, and so do we. */
function leaveFor(address: string): void {
  if (!SCRIPTS.has(new URL(address).protocol)) window.location.assign(address)
}

/** The request as the person decides about it; null when they did before, and the browser is on its way back. */
async function fetchRequest(id: string): Promise<OAuthAuthorizationDetails | null> {
  const found = accepted(await supabase.auth.oauth.getAuthorizationDetails(id))
  if ('authorization_id' in found) return found
  leaveFor(found.redirect_url)
  return null
}

/** Asked once: reading a request can already answer it. */
export function consentRequestQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: ['oauth-request', userId, id],
    queryFn: () => fetchRequest(id),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  })
}

/** Says yes or no, then leaves for the application. */
async function decide({ id, allow }: { id: string; allow: boolean }): Promise<void> {
  const { oauth } = supabase.auth
  const options = { skipBrowserRedirect: true }
  const answer = allow ? await oauth.approveAuthorization(id, options) : await oauth.denyAuthorization(id, options)
  leaveFor(accepted(answer).redirect_url)
}

export function useDecideConsent() {
  return useMutation({ mutationFn: decide })
}

export function grantsQuery(userId: string) {
  return queryOptions({
    queryKey: [...GRANTS, userId],
    queryFn: async () => accepted(await supabase.auth.oauth.listGrants()),
  })
}

export function useRevokeGrant() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (clientId: string) => done(await supabase.auth.oauth.revokeGrant({ clientId })),
    onSettled: () => client.invalidateQueries({ queryKey: GRANTS }),
  })
}
