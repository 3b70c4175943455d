/** What is open with a contact, deals and tasks, and who works for a company. */
import { queryOptions } from '@tanstack/react-query'

import { contactsKey } from '@/data/contacts-key'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import { supabase } from '@/lib/supabase'

const AT_MOST = 20

export function openDealsQuery(...contactIds: readonly string[]) {
  return queryOptions({
    queryKey: [...contactsKey, 'deals', contactIds],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('deals')
          .select('id, title, amount_cents, expected_close, contact_id, stage:stages(name)')
          .in('contact_id', [...contactIds])
          .is('deleted_at', null)
          .is('won_at', null)
          .is('lost_at', null)
          .order('expected_close', { nullsFirst: false })
          .limit(AT_MOST),
      )
    },
  })
}

export function openTasksQuery(...contactIds: readonly string[]) {
  return queryOptions({
    queryKey: [...contactsKey, 'tasks', contactIds],
    queryFn: async () => {
      await currentUser()
      return unwrap(
        await supabase
          .from('tasks')
          .select('id, title, due_at, due_is_allday, contact_id')
          .in('contact_id', [...contactIds])
          .is('deleted_at', null)
          .neq('state', 'fatto')
          .order('due_at', { nullsFirst: false })
          .limit(AT_MOST),
      )
    },
  })
}

/** Who works for this company. */
export function peopleQuery(companyId: string) {
  return queryOptions({
    queryKey: [...contactsKey, 'people', companyId],
    queryFn: async () => {
      await currentUser()
      const rows = unwrap(
        await supabase
          .from('contact_list')
          .select('id, name, job_title')
          .eq('company_id', companyId)
          .order('name')
          .limit(AT_MOST),
      )
      return rows.flatMap(({ id, name, job_title }) => (id && name ? [{ id, name, job_title }] : []))
    },
  })
}
