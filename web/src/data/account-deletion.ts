/** Deletion of the account: what it would take along, the request, and taking it back (functions/account_deletion.py). */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { invoke, remove, read } from '@/data/functions'
import { profileQuery } from '@/data/profiles'

/** Where the person keeps the invoices that the law makes them keep; empty: there are none. */
export type FiscalArchive = 'downloaded' | 'elsewhere' | 'empty'

export type DeletionPreview = {
  /** What has to be typed. */
  address: string | null
  stops: {
    mailbox: string | null
    whatsapp: string | null
    waiting_mails: number
    calendar: boolean
    devices: number
    applications: number
  }
  domains: { domain: string; tables: { label: string; count: number }[] }[]
  files: number
  kept: { title: string; period: string; reason: string; count: number }[]
  invoices: number
  credits: number
  /** Orders that can still be withdrawn from, with what comes back today. */
  refunds: { order_id: string; amount_cents: number; until: string }[]
}

type Wish = { address: string; fiscal_archive: FiscalArchive; gives_up_credits: boolean }

export function deletionPreviewQuery(userId: string) {
  return queryOptions({
    queryKey: ['account_deletion', userId],
    queryFn: () => read<DeletionPreview>('account_deletion'),
    // Read anew by whoever comes back from a withdrawal.
    staleTime: 0,
  })
}

/** Answers when the account will be erased; from then on the app shows nothing else (`profile.deletion_due_at`). */
export function useRequestDeletion(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wish: Wish) => invoke<{ due_at: string }>('account_deletion', wish),
    onSuccess: () => client.invalidateQueries({ queryKey: profileQuery(userId).queryKey }),
  })
}

/** Takes the request back. */
export function useCancelDeletion(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => remove<object>('account_deletion'),
    // Also when there was nothing to take back: then the profile says so.
    onSettled: () => client.invalidateQueries({ queryKey: profileQuery(userId).queryKey }),
  })
}
