/** Italian labels of closed sets. */
import type { FactorType } from '@supabase/supabase-js'

import type { Enums } from '@/data/tables'
import type { Theme } from '@/lib/theme'

export const notificationTypes: Record<Enums<'notification_type'>, string> = {
  success: 'Conferma',
  warning: 'Avviso',
  error: 'Errore',
  info: 'Informazione',
}

export const notificationCategories: Record<Enums<'notification_category'>, string> = {
  incassi: 'Incassi e pagamenti',
  attivita: 'Attività',
  approvazioni: 'Approvazioni',
  documenti: 'Documenti',
  crediti: 'Crediti',
  briefing: 'Briefing del mattino',
  sistema: 'Sistema e sicurezza',
  amministrazione: 'Amministrazione',
}

export const notificationDigests: Record<Enums<'notification_digest'>, string> = {
  subito: 'Subito',
  oraria: 'Ogni ora',
  giornaliera: 'Alle 8:00',
}

export const factorTypes: Record<FactorType, string> = {
  totp: 'App di autenticazione',
  webauthn: 'Chiave di sicurezza',
  phone: 'Telefono',
  recovery_code: 'Codici di recupero',
}

export const themeLabels: Record<Theme, string> = { light: 'Chiaro', dark: 'Scuro', system: 'Come il sistema' }
