/** consents: what a contact allows, per channel and purpose, and the proof of each answer. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import { contactsKey } from '@/data/contacts-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

type Channel = Enums<'consent_channel'>
type Purpose = Enums<'consent_purpose'>
type ConsentState = Enums<'consent_state'>

// Under the contacts: what changes one may change its consents.
const KEY = [...contactsKey, 'consents'] as const

/** What holds now, and every answer so far, newest first. */
export function consentsQuery(contactId: string) {
  return queryOptions({
    queryKey: [...KEY, contactId],
    queryFn: async () => {
      await currentUser()
      const [now, proofs] = await Promise.all([
        supabase.from('consents').select('*').eq('contact_id', contactId),
        supabase
          .from('consent_events')
          .select('*')
          .eq('contact_id', contactId)
          .order('at', { ascending: false })
          .limit(100),
      ])
      return { now: unwrap(now), proofs: unwrap(proofs) }
    },
  })
}

export type Answer = {
  channel: Channel
  purpose: Purpose
  state: ConsentState
  legalBasis: string
  wording: string
  source: string
}

/** Writes an answer down: it counts from now on, and its proof stays. */
export function useRecordConsent(contactId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ channel, purpose, state, legalBasis, wording, source }: Answer) =>
      unwrap(
        await supabase.rpc('record_consent', {
          _contact_id: contactId,
          _channel: channel,
          _purpose: purpose,
          _state: state,
          _legal_basis: legalBasis,
          _source: source,
          // Nothing, or some words: never an empty proof.
          ...(wording.trim() && { _wording: wording.trim() }),
        }),
      ),
    onSettled: () => reloadContacts(client),
  })
}
