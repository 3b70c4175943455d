/** What is held about one contact: found, copied, erased (db/schemas/69_contact_rights.sql). */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { contactRequestsKey } from '@/data/contact-requests'
import { reloadContacts } from '@/data/contacts'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'
import { DataError } from '@/lib/server-errors'

type Row = Database['public']['Functions']['find_contact_data']['Returns'][number]

export type Fate = 'via' | 'senza_nome' | 'resta'

/** What one table holds about a contact, and what an erasure does with it. */
export type Finding = Omit<Row, 'fate' | 'newest' | 'reason' | 'since'> & {
  fate: Fate
  reason: string | null
  since: string | null
  newest: { id?: string; at?: string | null; text: string | null }[]
}

/** Everything about a contact by table; null for a contact that is not there. */
export function findingsQuery(userId: string, contactId: string) {
  return queryOptions({
    // Not under the contacts, which are read again after an erasure: then there is nothing to find.
    queryKey: ['contact_rights', userId, contactId],
    staleTime: 0,
    queryFn: async () => {
      await currentUser()
      const answer = await supabase.rpc('find_contact_data', { _contact_id: contactId })
      return answer.error?.code === 'PT404' ? null : (unwrap(answer) as Finding[])
    },
  })
}

/** All that is kept about one contact, as JSON. @throws DataError */
export async function exportContact(id: string): Promise<unknown> {
  return unwrap(await supabase.rpc('export_contact', { _contact_id: id }))
}

async function paper(query: Record<string, string>): Promise<Blob> {
  const name = `contact_pdf?${new URLSearchParams(query).toString()}`
  const { data, error } = await supabase.functions.invoke<Blob>(name, { method: 'GET' })
  if (error) throw error
  if (!data) throw new Error('contact_pdf answered nothing')
  return data
}

/** The copy as a sheet of paper, as a PDF. @throws when the server refused or could not be reached */
export const contactSheet = (id: string): Promise<Blob> => paper({ id })

/** The certificate of an erasure, as a PDF. @throws when the server refused or could not be reached */
export const erasureCertificate = (erasureId: string): Promise<Blob> => paper({ erasure: erasureId })

export type Erasure = { id: string; lines: { label: string; fate: Fate; found: number; reason: string | null }[] }

/** Whether the database refused because another name was typed. */
export const isWrongName = (error: unknown): boolean => error instanceof DataError && error.code === 'SC054'

/** Erases a contact for good; the typed name confirms it. The answer is the certificate. */
export function useEraseContact(contactId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ typed, withMentions }: { typed: string; withMentions: boolean }): Promise<Erasure> => {
      await currentUser()
      const erased: unknown = unwrap(
        await supabase.rpc('erase_contact', {
          _contact_id: contactId,
          _typed_name: typed,
          _with_mentions: withMentions,
        }),
      )
      return erased as Erasure
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: contactRequestsKey })
      await reloadContacts(client)
    },
  })
}
