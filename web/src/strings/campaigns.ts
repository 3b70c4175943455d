/** Campaigns in words: sending one, and what became of a contact. */
import type { CampaignProgress, CampaignRecipient, Exclusion } from '@/data/campaigns'
import type { Enums } from '@/data/tables'
import type { WhatsappExclusion } from '@/data/whatsapp-campaigns'
import { exclusions, mailErrors } from '@/strings/mail'
import { whatsappErrors, whatsappExclusions, whatsappStates } from '@/strings/whatsapp'

/** What sending it is called, and what is said when it is done; `notBefore` is the moment it is planned for. */
export const sendingWords = (notBefore: string | null) => ({
  button: notBefore ? 'Programma l’invio' : 'Invia',
  done(isTyped: boolean): string {
    if (notBefore) return 'Invio programmato: fino ad allora puoi annullarlo'
    return isTyped ? 'Parte tra dieci minuti: fino ad allora puoi annullare tutto' : 'Invio preparato'
  },
})

export const contactCount = (count: number): string => (count === 1 ? '1 contatto' : `${count} contatti`)

/** Whether a contact did not get it, and will not by itself. */
export const isMissed = ({ state }: CampaignRecipient): boolean =>
  ['excluded', 'failed', 'cancelled', 'uncertain'].includes(state)

/** Mails have some of the states of WhatsApp messages. */
export function recipientState({ state }: CampaignRecipient): string {
  return state === 'excluded' ? 'Escluso' : whatsappStates[state as Enums<'whatsapp_state'>]
}

/** Why a contact did not get it; empty when it did, or will. */
export function recipientReason(channel: CampaignProgress['channel'], recipient: CampaignRecipient): string {
  const { state, reason, detail } = recipient
  if (!reason || !isMissed(recipient)) return ''
  const isMail = channel === 'email'
  if (state === 'excluded')
    return isMail ? exclusions[reason as Exclusion] : whatsappExclusions[reason as WhatsappExclusion]
  if (isMail) return mailErrors[reason as Enums<'mail_error'>]
  // What Meta says is more than that it refused.
  return reason === 'meta' && detail ? detail : whatsappErrors[reason as Enums<'whatsapp_error'>]
}
