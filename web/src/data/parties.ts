/** Who papers without a contact are from or for: linked to contacts, made contacts, or told to be none. */
import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { Database } from '@/data/database.gen'
import { documentsKey } from '@/data/documents-key'
import { reloadInvoices } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

export type Candidate = {
  contact_id: string
  name: string
  type: 'persona' | 'azienda'
  company: string | null
  reason: 'vat_number' | 'tax_code' | 'same_name' | 'similar_name'
}

/** What a new contact would say. */
export type Draft = {
  name?: string
  vat_number?: string
  tax_code?: string
  sdi_code?: string
  pec?: string
  email?: string
  address?: { street?: string; postal_code?: string; city?: string; province?: string }
}

type Row = Database['public']['Functions']['parties_to_link']['Returns'][number]
type Nullable = 'name' | 'vat_number' | 'tax_code' | 'issued_cents' | 'received_cents'
/** A counterparty whose papers wait; sums in cents of euros, as the register counts them. */
export type Party = Omit<Row, Nullable | 'candidates' | 'draft'> & { [K in Nullable]: Row[K] | null } & {
  candidates: Candidate[]
  draft: Draft
}

/** What was chosen for a party. */
export type LinkChoice = { party_key: string } & ({ contact_id: string } | { create: true })
type Done = { party_key: string; contact_id: string; is_new: boolean; document_ids: string[] }

const AT_ONCE = 200

/** Those with the most money first. */
export function partiesQuery(userId: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'parties'],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('parties_to_link')) as unknown as Party[]
    },
  })
}

/** Links them, as many at once as the database takes; what was done before a failure stays done, and is answered. */
export function useLinkParties(userId: string, onProgress?: (done: number) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (choices: LinkChoice[]): Promise<{ done: Done[]; failure: unknown }> => {
      const done: Done[] = []
      for (let from = 0; from < choices.length; from += AT_ONCE) {
        const batch = choices.slice(from, from + AT_ONCE)
        // One after the other, so that a failure leaves the rest as it is.
        // oxlint-disable-next-line no-await-in-loop
        const answer = await supabase.rpc('link_parties', { _choices: batch })
        if (answer.error) return { done, failure: answer.error }
        done.push(...(answer.data as Done[]))
        onProgress?.(done.length)
      }
      return { done, failure: null }
    },
    onSettled: () => reloadInvoices(client, userId),
  })
}

/** Takes back what useLinkParties answered. */
export function useUnlinkParties(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (done: Done[]) => unwrap(await supabase.rpc('unlink_parties', { _done: done })),
    onSettled: () => reloadInvoices(client, userId),
  })
}

type Dismissal = { partyKey: string; isDismissed: boolean }

const reload = (client: QueryClient, userId: string) =>
  client.invalidateQueries({ queryKey: partiesQuery(userId).queryKey })

/** Says that a party is no contact, or takes that back. */
export function useDismissParty(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ partyKey, isDismissed }: Dismissal) => {
      const table = supabase.from('dismissed_parties')
      unwrap(await (isDismissed ? table.insert({ party_key: partyKey }) : table.delete().eq('party_key', partyKey)))
    },
    onSettled: () => reload(client, userId),
  })
}
