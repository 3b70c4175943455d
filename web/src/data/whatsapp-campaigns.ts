/** One template to several contacts by WhatsApp: who gets what and what it costs, sending it, and going on after a pause. */
import { queryOptions } from '@tanstack/react-query'

import { campaignsKey, useCampaignChange } from '@/data/campaigns'
import { unwrap } from '@/data/postgrest'
import { supabase } from '@/lib/supabase'

export type WhatsappCampaign = {
  contactIds: string[]
  templateId: string
  /** By place: a text for all, or {{nome}} and the like for the value of each contact. */
  values: Record<string, string>
  /** Also to whoever got many messages this week. */
  withOften: boolean
  /** The moment it is planned for; null: as soon as it may. */
  notBefore: string | null
}
/** Why a contact is left out, as db/schemas/69_whatsapp_campaigns.sql says. */
export type WhatsappExclusion =
  | 'no_number'
  | 'stopped'
  | 'objected'
  | 'consent'
  | 'never_wrote'
  | 'unreachable'
  | 'unfilled'
  | 'too_long'
  | 'often'
export type WhatsappPrice = {
  sums: { currency: string; least_micros: number; most_micros: number }[]
  /** How many have no known price. */
  unpriced: number
}
export type WhatsappCampaignPreview = {
  count: number
  /** How many of them count for Meta's limit of a day. */
  outside: number
  /** What the first three see. */
  letters: { contact_id: string; name: string; recipient: string | null; body: string }[]
  excluded: { contact_id: string; name: string; reason: WhatsappExclusion }[]
  /** To how many people Meta lets the number write on the day it begins, and on another day. */
  left: number
  a_day: number
  /** So many recipients are an approval of their own: their number is typed. */
  is_to_be_typed: boolean
  price: WhatsappPrice
}

export function whatsappCampaignPreviewQuery(campaign: WhatsappCampaign) {
  const { contactIds, templateId, values, withOften, notBefore } = campaign
  return queryOptions({
    queryKey: [...campaignsKey, 'whatsapp', campaign],
    queryFn: async () =>
      unwrap(
        await supabase.rpc('preview_whatsapp_campaign', {
          _contact_ids: contactIds,
          _template_id: templateId,
          _values: values,
          _with_often: withOften,
          ...(notBefore !== null && { _not_before: notBefore }),
        }),
      ) as WhatsappCampaignPreview,
    // Consents and the room of the day may have changed since.
    staleTime: 0,
    gcTime: 0,
    // A refusal is an answer.
    retry: false,
  })
}

type Sending = WhatsappCampaign & {
  /** The same at each attempt: a second click is the same campaign. */
  key: string
  typed: number | null
  /** Whether those beyond the room of today get it on the next days. */
  overDays: boolean
}

/** @throws DataError with the code of db/schemas/69_whatsapp_campaigns.sql */
export function useSendWhatsappCampaign() {
  return useCampaignChange(async (sending: Sending) => {
    const { key, contactIds, templateId, values, withOften, notBefore, typed, overDays } = sending
    return unwrap(
      await supabase.rpc('queue_whatsapp_campaign', {
        _key: key,
        _contact_ids: contactIds,
        _template_id: templateId,
        _values: values,
        _with_often: withOften,
        _over_days: overDays,
        ...(typed !== null && { _typed: typed }),
        ...(notBefore !== null && { _not_before: notBefore }),
      }),
    )
  })
}

/** Lets a paused campaign go on. @throws DataError when its template still may not be sent */
export function useResumeCampaign() {
  return useCampaignChange(async (id: string) => unwrap(await supabase.rpc('resume_campaign', { _id: id })))
}
