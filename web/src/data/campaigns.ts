/** One text to several contacts by mail: who gets what, and sending it; and how far each campaign is, by mail or WhatsApp. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import { reloadContacts } from '@/data/contacts'
import type { Database } from '@/data/database.gen'
import { unwrap } from '@/data/postgrest'
import { currentUser } from '@/data/session'
import type { Enums } from '@/data/tables'
import { supabase } from '@/lib/supabase'

export type Campaign = { contactIds: string[]; subject: string; body: string; basis: Enums<'mail_basis'> }
/** Why a contact is left out. */
export type Exclusion = 'no_address' | 'no_sale' | 'suppressed' | 'consent' | 'unfilled' | 'too_long'
export type CampaignLetter = { contact_id: string; name: string; recipient: string; subject: string; body: string }
type CampaignPreview = {
  letters: CampaignLetter[]
  excluded: { contact_id: string; name: string; reason: Exclusion }[]
  /** How many mails may still leave today. */
  left: number
  /** So many recipients are an approval of their own: their number is typed. */
  is_to_be_typed: boolean
}
type Progress = Database['public']['Functions']['campaign_progress']['Returns'][number]
type Absent = 'cancelled_at' | 'next_at' | 'paused_at' | 'pause_reason'
export type CampaignProgress = Omit<Progress, Absent> & Record<Absent, string | null>
type Recipient = Database['public']['Functions']['campaign_recipients']['Returns'][number]
export type CampaignRecipient = Omit<Recipient, 'reason' | 'detail'> & Record<'reason' | 'detail', string | null>

export const campaignsKey = ['campaigns'] as const
const POLL_MS = 5_000
const RECEIPTS_MS = 3_600_000

export function campaignPreviewQuery({ contactIds, subject, body, basis }: Campaign) {
  return queryOptions({
    queryKey: [...campaignsKey, 'preview', contactIds, subject, body, basis],
    queryFn: async () =>
      unwrap(
        await supabase.rpc('preview_campaign', {
          _contact_ids: contactIds,
          _subject: subject,
          _body: body,
          _basis: basis,
        }),
      ) as CampaignPreview,
    // What the law allows may have changed since.
    staleTime: 0,
    gcTime: 0,
  })
}

/** The latest first; asked again while one is on its way. */
export function campaignsQuery(userId: string) {
  return queryOptions({
    queryKey: [...campaignsKey, userId],
    queryFn: async () => {
      await currentUser()
      return unwrap(await supabase.rpc('campaign_progress')) as CampaignProgress[]
    },
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? POLL_MS : false),
  })
}

/** Whether more of it will be seen: it waits, or receipts of WhatsApp are still to come. */
function isMoving({ channel, waiting, sent, read, created_at: at }: CampaignProgress): boolean {
  return waiting > 0 || (channel === 'whatsapp' && read < sent && Date.now() - Date.parse(at) < RECEIPTS_MS)
}

/** What became of each contact of a campaign. */
export function campaignRecipientsQuery(campaign: CampaignProgress) {
  const { id, waiting, sent, delivered, read, failed, uncertain } = campaign
  return queryOptions({
    // As it moves, it is asked again.
    queryKey: [...campaignsKey, 'recipients', id, [waiting, sent, delivered, read, failed, uncertain]],
    queryFn: async () => unwrap(await supabase.rpc('campaign_recipients', { _id: id })) as CampaignRecipient[],
    placeholderData: keepPreviousData,
  })
}

export function useCampaignChange<V, R>(mutationFn: (value: V) => Promise<R>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSettled: () => Promise.all([client.invalidateQueries({ queryKey: campaignsKey }), reloadContacts(client)]),
  })
}

type Sending = Campaign & {
  /** The same at each attempt: a second click is the same batch. */
  key: string
  typed: number | null
  notBefore: string | null
}

/** @throws DataError with the code of db/schemas/58_mail_campaigns.sql */
export function useSendCampaign() {
  return useCampaignChange(async ({ key, contactIds, subject, body, basis, typed, notBefore }: Sending) =>
    unwrap(
      await supabase.rpc('queue_campaign', {
        _key: key,
        _contact_ids: contactIds,
        _subject: subject,
        _body: body,
        _basis: basis,
        ...(typed !== null && { _typed: typed }),
        ...(notBefore !== null && { _not_before: notBefore }),
      }),
    ),
  )
}

/** Cancels all that has not left. */
export function useCancelCampaign() {
  return useCampaignChange(async (id: string) => unwrap(await supabase.rpc('cancel_campaign', { _id: id })))
}
