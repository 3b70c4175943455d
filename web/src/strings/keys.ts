/** Names of the installation's keys and secrets, and how each is replaced (supabase/README.md, «Age of keys»). */
type Words = { label: string; how: string }

const RESTART = 'poi riavvia server e worker.'
const variable = (name: string): string => `Scrivi il nuovo valore in ${name}, ${RESTART}`

const known: Record<string, Words> = {
  signing_key: {
    label: 'Chiave che firma le sessioni',
    how: '«python -m backend keys rotate», poi riavvia PostgREST e i server; dopo un’ora «keys retire». Nessuno esce.',
  },
  jwt_secret: {
    label: 'Segreto dell’installazione',
    how: 'Da qui derivano le chiavi anon e service, quelle delle notifiche push e quelle che proteggono caselle e secondi fattori. Cambiarlo chiude ogni sessione e rende illeggibile ciò che protegge: solo se qualcuno lo conosce.',
  },
  secret_key: {
    label: 'Chiave segreta delle API',
    how: variable('SUPABASE_AUTH_SECRET_KEY'),
  },
  database_password: {
    label: 'Password del database',
    how: `«alter role … password» nel database e la nuova in DATABASE_URL, ${RESTART}`,
  },
  storage_s3: {
    label: 'Chiave dell’archivio file S3',
    how: `Crea una seconda chiave dal fornitore, scrivila in SOCIO_STORAGE_S3, ${RESTART} Poi elimina la vecchia.`,
  },
  metrics_token: { label: 'Gettone delle metriche', how: variable('SOCIO_METRICS_TOKEN') },
  smtp_password: { label: 'Password del server di posta', how: variable('SMTP_PASSWORD') },
  twilio_auth_token: {
    label: 'Gettone di Twilio',
    how: variable('SUPABASE_AUTH_SMS_TWILIO_AUTH_TOKEN'),
  },
  STRIPE_SECRET_KEY: {
    label: 'Chiave segreta di Stripe',
    how: `Da Stripe, Sviluppatori, ruota la chiave con una scadenza; scrivi la nuova in STRIPE_SECRET_KEY, ${RESTART}`,
  },
  STRIPE_WEBHOOK_SECRETS: {
    label: 'Segreto del webhook di Stripe',
    how: `Da Stripe ruota il segreto; scrivi nuovo e vecchio, separati da una virgola, in STRIPE_WEBHOOK_SECRETS, ${RESTART} Scaduto il vecchio, toglilo.`,
  },
  AI_API_KEY: { label: 'Chiave del fornitore di IA', how: variable('AI_API_KEY') },
  WHATSAPP_APP_SECRET: { label: 'Segreto dell’app di Meta', how: variable('WHATSAPP_APP_SECRET') },
  SOCIO_INBOUND_SECRET: {
    label: 'Segreto della posta in arrivo',
    how: `${variable('SOCIO_INBOUND_SECRET')} Cambialo anche nel webhook del fornitore.`,
  },
  SOCIO_MAIL_MICROSOFT_SECRET: {
    label: 'Segreto del client di Microsoft',
    how: variable('SOCIO_MAIL_MICROSOFT_SECRET'),
  },
  SOCIO_MAIL_GOOGLE_SECRET: { label: 'Segreto del client di Google', how: variable('SOCIO_MAIL_GOOGLE_SECRET') },
}

/** Providers of logins and hooks come from the settings: their names are in the key's. */
export function keyWords(name: string): Words {
  const [, kind, of = ''] = /^(login|hook)_(.+)$/.exec(name) ?? []
  if (kind === 'login') {
    return {
      label: `Accesso con ${of.charAt(0).toUpperCase()}${of.slice(1)}`,
      how: variable(`SUPABASE_AUTH_EXTERNAL_${of.toUpperCase()}_SECRET`),
    }
  }
  if (kind === 'hook') {
    return { label: `Segreto dell’hook ${of}`, how: variable(`SUPABASE_AUTH_HOOK_${of.toUpperCase()}_SECRETS`) }
  }
  return known[name] ?? { label: name, how: variable(name) }
}
