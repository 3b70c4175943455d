/** Where an insight leads: its rows, by its action and entity. */
import type { Insight } from '@/data/home'
import { paths } from '@/paths'

/** The rows behind an insight; null when there is nothing to open. */
export function rowsOf({ entity_type: type, entity_id: id, contact_id: contactId, data }: Insight): string | null {
  switch (type) {
    case 'invoice':
      return data.document_id ? paths.document(data.document_id) : null
    case 'document':
      return id && paths.document(id)
    case 'deal':
      return id && paths.crmDeal(id)
    case 'contact':
      return id && paths.crmContact(id)
    case 'thread':
      return id && paths.crmMailThread(id)
    case 'whatsapp':
      return id && paths.crmWhatsappChat(id)
    case 'day':
      return paths.tasks
    case 'wallet':
      return paths.settingsCredits
    case 'register':
      return paths.invoicesToCheck
    case 'documents':
      return paths.documentsToCheck
    case 'parties':
      return paths.crmLinking
    case 'pairs':
      return paths.crmDuplicates
    case 'consents':
      return paths.crmWithoutConsent
    case 'contact_request':
      return contactId ? paths.contactRights(contactId) : paths.settingsPrivacy
    case 'flat_rate':
      return paths.invoicesToCash
    default:
      return null
  }
}

/** Where the button leads; null when it does something here. */
export function targetOf(insight: Insight): string | null {
  switch (insight.action) {
    case 'sollecito':
    case 'promemoria':
    case 'attivita':
      return null
    case 'ricarica':
      return paths.store
    default:
      return rowsOf(insight)
  }
}

/** What a task about an insight is called, and what it is about. */
export function taskOf({ entity_type: type, entity_id: id, contact_id: contactId, data }: Insight) {
  const who = data.counterparty
  if (type === 'deal')
    return { title: `Sentire ${who ?? 'il cliente'} per «${data.deal}»`, deal_id: id, contact_id: contactId }
  return { title: `Rinnovare o disdire il contratto${who ? ` con ${who}` : ''}`, contact_id: contactId }
}
