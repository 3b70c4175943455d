/** What became of a contact of a campaign, in words. */
import type { CampaignProgress, CampaignRecipient, Exclusion } from '@/data/campaigns'
import type { Enums } from '@/data/tables'
import type { WhatsappExclusion } from '@/data/whatsapp-campaigns'
import { exclusions, mailErrors } from '@/strings/mail'
import { whatsappErrors, whatsappExclusions, whatsappStates } from '@/strings/whatsapp'

/** Mails have some of the states of WhatsApp messages. */
export function recipientState({ state }: CampaignRecipient): string {
  return state === 'excluded' ? 'Escluso' : whatsappStates[state as Enums<'whatsapp_state'>]
}

/** Why a contact did not get it; empty when it did, or will. */
export function recipientReason(
  channel: CampaignProgress['channel'],
  { state, reason, detail }: CampaignRecipient,
): string {
  if (!reason || !['excluded', 'failed', 'cancelled', 'uncertain'].includes(state)) return ''
  const isMail = channel === 'email'
  if (state === 'excluded')
    return isMail ? exclusions[reason as Exclusion] : whatsappExclusions[reason as WhatsappExclusion]
  if (isMail) return mailErrors[reason as Enums<'mail_error'>]
  // What Meta says is more than that it refused.
  return reason === 'meta' && detail ? detail : whatsappErrors[reason as Enums<'whatsapp_error'>]
}
