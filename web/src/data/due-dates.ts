/** What falls due besides tasks: parts of invoices that are not paid, and documents with a deadline. */
import { queryOptions } from '@tanstack/react-query'

import { NAMED, NUMBER } from '@/data/documents'
import { documentsKey } from '@/data/documents-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'
import { documentName } from '@/strings/document-name'

export type FallingDue = {
  id: string
  kind: 'incasso' | 'pagamento' | 'documento'
  /** `YYYY-MM-DD`. */
  day: string
  documentId: string
  /** «Fattura 13/2026 · Neri S.r.l.» */
  name: string
  contactId: string | null
  /** What is to be paid or cashed; null for a document. */
  amount: { cents: number; currency: string } | null
  /** The task that reminds of it. */
  taskId: string | null
}

const AT_MOST = 1_000

async function fetchParts(from: string, to: string): Promise<FallingDue[]> {
  const parts = unwrap(
    await supabase
      .from('invoice_parts')
      .select('invoice_id, document_id, no, direction, due_on, cents, currency, task_id')
      .eq('counts', true)
      .is('paid_on', null)
      .gte('due_on', from)
      .lte('due_on', to)
      .order('due_on')
      .limit(AT_MOST),
  )
  if (parts.length === 0) return []
  const documents = await fetchDocuments([...new Set(parts.map(({ document_id: id }) => id ?? ''))])
  return parts.map((part) => {
    const { document_id: documentId, due_on: day, cents, currency } = part
    const { name = '', contactId = null } = documents.get(documentId ?? '') ?? {}
    return {
      id: `${part.invoice_id} ${part.no}`,
      // The money of a credit note goes the other way.
      kind: (part.direction === 'attiva') === (cents ?? 0) >= 0 ? 'incasso' : 'pagamento',
      day: day ?? '',
      documentId: documentId ?? '',
      name,
      contactId,
      amount: { cents: Math.abs(cents ?? 0), currency: currency ?? 'EUR' },
      taskId: part.task_id,
    }
  })
}

type Named = { name: string; contactId: string | null }

/** So many ids fit into an address. */
const IDS_AT_ONCE = 100

async function fetchDocuments(ids: readonly string[]): Promise<Map<string, Named>> {
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, no) =>
    ids.slice(no * IDS_AT_ONCE, (no + 1) * IDS_AT_ONCE),
  )
  const answers = await Promise.all(
    chunks.map(async (some) =>
      unwrap(await supabase.from('documents').select(NAMED).eq('numbers.key', NUMBER).in('id', some)),
    ),
  )
  return new Map(answers.flat().map((row) => [row.id, { name: documentName(row), contactId: row.contact?.id ?? null }]))
}

/** Contracts, policies and other papers; what an invoice says of its own day is in its parts. */
async function fetchDeadlines(from: string, to: string): Promise<FallingDue[]> {
  const rows = unwrap(
    await supabase
      .from('documents')
      .select(`${NAMED}, due_on, registered:invoices(id)`)
      .eq('numbers.key', NUMBER)
      .is('registered', null)
      .is('deleted_at', null)
      .gte('due_on', from)
      .lte('due_on', to)
      .order('due_on')
      .limit(AT_MOST),
  )
  return rows.map((row) => ({
    id: row.id,
    kind: 'documento',
    day: row.due_on ?? '',
    documentId: row.id,
    name: documentName(row),
    contactId: row.contact?.id ?? null,
    amount: null,
    taskId: null,
  }))
}

/** Of the days from `from` to `to`, both included. */
export function fallingDueQuery(userId: string, from: string, to: string) {
  return queryOptions({
    queryKey: [...documentsKey(userId), 'falling-due', from, to],
    queryFn: async () => {
      await currentUser()
      return (await Promise.all([fetchParts(from, to), fetchDeadlines(from, to)])).flat()
    },
  })
}
