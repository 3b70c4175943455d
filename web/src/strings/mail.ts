/** Why a mail did not go, and the servers that people have. */
import type { Enums } from '@/data/tables'

export const mailErrors: Record<Enums<'mail_error'>, string> = {
  unreachable: 'Il server di posta non risponde',
  tls: 'Il server di posta non offre un collegamento cifrato valido',
  auth: 'Il server di posta non accetta nome utente o password',
  busy: 'Il server di posta è occupato',
  refused: 'Il server di posta ha rifiutato il messaggio',
  bad_address: 'Il server di posta non accetta l’indirizzo',
  attachment: 'L’allegato non c’è più, o è troppo grande',
  expired: 'Per un giorno non è stato possibile inviarla',
  suppressed: 'Questo indirizzo non vuole ricevere e-mail da te',
  consent: 'Manca il consenso a ricevere promozioni',
  interrupted: 'Il collegamento si è interrotto durante l’invio',
  disconnected: 'La casella non è più collegata',
}

export type Preset = {
  name: string
  host: string
  port: number
  security: Enums<'mail_security'>
  /** What its people have to know. */
  hint?: string
}

export const mailPresets: Preset[] = [
  { name: 'Aruba', host: 'smtps.aruba.it', port: 465, security: 'tls' },
  { name: 'Register', host: 'authsmtp.securemail.pro', port: 465, security: 'tls' },
  { name: 'Libero', host: 'smtp.libero.it', port: 465, security: 'tls' },
  { name: 'TIM', host: 'box.posta.tim.it', port: 465, security: 'tls' },
  {
    name: 'Gmail',
    host: 'smtp.gmail.com',
    port: 465,
    security: 'tls',
    hint: 'Serve una «password per le app»: la crei nel tuo account Google, con la verifica in due passaggi attiva.',
  },
]
