/** To which account a client pays an invoice, as reminders name it. */
import { queryOptions } from '@tanstack/react-query'

import { invoicesKey } from '@/data/invoices'
import { unwrap } from '@/data/postgrest'
import type { Profile } from '@/data/profiles'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'
import type { PayTo } from '@/strings/reminders'

const bare = (code: string) => code.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** The accounts that an invoice names itself. */
export function invoiceIbansQuery(userId: string, invoiceId: string) {
  return queryOptions({
    queryKey: [...invoicesKey(userId), 'ibans', invoiceId],
    queryFn: async (): Promise<string[]> => {
      await currentUser()
      const parts = unwrap(await supabase.from('invoice_schedules').select('iban').eq('invoice_id', invoiceId))
      return parts.flatMap(({ iban }) => (iban ? [bare(iban)] : []))
    },
  })
}

/** The account of the business, unless the invoice names another one: then the reminder leaves it to the invoice. */
export function payTo(profile: Profile | null, named: readonly string[]): PayTo | null {
  if (!profile?.iban || named.some((iban) => iban !== profile.iban)) return null
  return { iban: profile.iban, holder: profile.account_holder }
}
