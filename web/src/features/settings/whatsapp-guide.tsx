/** How a WhatsApp number is connected, step by step, each with a drawing. */
import type { ReactNode } from 'react'

import {
  chooseOwnNumber,
  confirmOnPhone,
  findIds,
  findSecret,
  historyInSocio,
  logInAtMeta,
  makeToken,
  readyInSocio,
  subscribeFields,
  verifyNewNumber,
} from '@/features/settings/whatsapp-drawings'

type Step = { text: string; drawing: ReactNode }

const LOG_IN: Step = {
  text: 'Meta ti chiede di accedere con il tuo profilo Facebook: scegli o crea l’attività.',
  drawing: logInAtMeta,
}

const STEPS = {
  phone: [
    LOG_IN,
    { text: 'Scegli di collegare la tua app WhatsApp Business e scrivi il numero.', drawing: chooseOwnNumber },
    {
      text: 'Sul telefono arriva un messaggio di Facebook Business: tocca «Collega», scegli se condividere la cronologia e conferma.',
      drawing: confirmOnPhone,
    },
    {
      text: 'Torni qui da solo. Contatti e messaggi degli ultimi sei mesi arrivano nei minuti dopo.',
      drawing: historyInSocio,
    },
  ],
  socio: [
    LOG_IN,
    {
      text: 'Scrivi un numero che non è su WhatsApp e il codice che ricevi per SMS o con una chiamata.',
      drawing: verifyNewNumber,
    },
    { text: 'Torni qui da solo: il numero è pronto.', drawing: readyInSocio },
  ],
  token: [
    {
      text: 'Su developers.facebook.com apri la tua app, poi WhatsApp → Configurazione API: lì trovi i due ID.',
      drawing: findIds,
    },
    {
      text: 'In Impostazioni aziendali → Utenti di sistema crea un token con i permessi whatsapp_business_messaging e whatsapp_business_management.',
      drawing: makeToken,
    },
    {
      text: 'La chiave segreta è in Impostazioni dell’app → Di base. L’indirizzo del webhook lo imposta Socio.',
      drawing: findSecret,
    },
    {
      text: 'In WhatsApp → Configurazione iscrivi l’app al campo «messages» e, se il numero è anche sul telefono, a «history», «smb_app_state_sync» e «smb_message_echoes».',
      drawing: subscribeFields,
    },
  ],
} satisfies Record<string, Step[]>

export function WhatsappGuide({ way }: { way: keyof typeof STEPS }) {
  return (
    <ol
      aria-label={way === 'token' ? 'Dove trovi i dati' : 'Che cosa succede'}
      className="grid gap-4 text-sm text-muted-foreground sm:grid-cols-2"
    >
      {STEPS[way].map(({ text, drawing }, place) => (
        <li key={text} className="grid content-start gap-2">
          {drawing}
          <p className="text-pretty break-words">
            <span className="font-medium text-foreground">{place + 1}.</span> {text}
          </p>
        </li>
      ))}
    </ol>
  )
}
