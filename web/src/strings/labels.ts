/** Italian labels of closed sets. */
import type { Enums } from '@/data/tables'
import type { Theme } from '@/lib/theme'

export const notificationTypes: Record<Enums<'notification_type'>, string> = {
  success: 'Conferma',
  warning: 'Avviso',
  error: 'Errore',
  info: 'Informazione',
}

export const themeLabels: Record<Theme, string> = { light: 'Chiaro', dark: 'Scuro', system: 'Come il sistema' }
