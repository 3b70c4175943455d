/** The month's packet for the accountant: what will be in it, and the file. */
import { queryOptions } from '@tanstack/react-query'

import { fetchFile, invoicesKey } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

export type FindingKind = 'registra' | 'controlla' | 'collega' | 'mancanti' | 'file'
export type PacketSum = {
  direction: 'attiva' | 'passiva'
  currency: string
  is_self_invoice: boolean
  times: number
  total_cents: number
}
type MonthPacket = {
  sums: PacketSum[]
  findings: { kind: FindingKind; title: string; body: string }[]
  papers: { is_waiting: boolean }[]
}

/** `month` is 2026-10. */
export function monthPacketQuery(userId: string, month: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'packet', month],
    queryFn: async () => {
      await currentUser()
      const packet = supabase
        .rpc('month_packet', { _month: `${month}-01` })
        .select('sums, findings, papers')
        .single()
      return unwrap(await packet) as unknown as MonthPacket
    },
  })
}

/** The ZIP, with its name. @throws FunctionError and others */
export const monthPacket = (month: string): Promise<File> => fetchFile('month_packet', { month })
