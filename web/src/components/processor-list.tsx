import { Link } from 'react-router'

import { paths } from '@/paths'

/** Whom the data are shared with: the privacy policy and the settings show the same list. */
export function ProcessorList({ className }: { className?: string }) {
  return (
    <ul className={className}>
      <li>fornitori di hosting, database e copie di sicurezza, nell’Unione europea;</li>
      <li>Stripe, per i pagamenti con carta;</li>
      <li>
        il fornitore del modello di intelligenza artificiale, solo se dici di sì, per la singola richiesta: la chat ti
        dice chi è prima di inviare;
      </li>
      <li>il fornitore che spedisce le email di servizio e l’intermediario della fatturazione elettronica;</li>
      <li>
        il servizio push del tuo browser (Google, Mozilla, Microsoft o Apple), solo se accendi le notifiche push: ogni
        volta che te ne mandiamo una riceve l’indirizzo che ha dato al tuo browser e un messaggio cifrato, che non può
        leggere e che dice solo quante novità hai e quale pagina aprire. Le spegni, dispositivo per dispositivo, in{' '}
        <Link to={paths.settingsNotifications}>Impostazioni → Notifiche</Link>, o nel browser;
      </li>
      <li>Meta, solo se colleghi tu un numero WhatsApp Business;</li>
      <li>Google, Microsoft o un altro servizio, solo se accedi o colleghi una casella con il suo account;</li>
      <li>la Commissione europea (VIES), solo quando chiedi di verificare una partita IVA: riceve quel numero;</li>
      <li>autorità pubbliche, quando la legge lo impone.</li>
    </ul>
  )
}
