/** Italian labels of what the CRM knows. */

export const contactOrigins = {
  manuale: 'Aggiunto da te',
  import: 'Importazione',
  whatsapp: 'WhatsApp',
  email: 'Email',
  documento: 'Documento',
  modulo: 'Modulo web',
  demo: 'Esempio',
} as const

/** Tax regimes that a contact may have, as they are kept; any other may be typed. */
export const contactRegimes = ['Ordinario', 'Semplificato', 'Forfettario', 'Minimi', 'Agricolo'] as const

export const consentChannels = { email: 'Email', telefono: 'Telefono', whatsapp: 'WhatsApp', posta: 'Posta' } as const

export const consentPurposes = { servizio: 'Servizio', marketing: 'Marketing', profilazione: 'Profilazione' } as const

export const consentStates = {
  dato: 'Sì',
  negato: 'No',
  revocato: 'Revocato',
  non_richiesto: 'Non chiesto',
} as const
