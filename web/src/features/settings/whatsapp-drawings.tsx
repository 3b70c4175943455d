/** Light drawings of each step of connecting a WhatsApp number, at Meta and in Socio; our own, not pictures of their screens. */
import type { ReactNode } from 'react'

type DrawingProps = { alt: string; children: ReactNode }

/** A drawing of 280 by 150, whose words are as large as the page's small text on a phone. */
function Drawing({ alt, children }: DrawingProps) {
  return (
    <svg role="img" aria-label={alt} viewBox="0 0 280 150" className="w-full rounded-md bg-muted text-foreground">
      {children}
    </svg>
  )
}

type Place = { x: number; y: number }

function Words({ x, y, children, isQuiet = false }: Place & { children: string; isQuiet?: boolean }) {
  return (
    <text x={x} y={y} fontSize="12" className={isQuiet ? 'fill-muted-foreground' : 'fill-foreground'}>
      {children}
    </text>
  )
}

/** A window with the name of the page that is open in it. */
function Page({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <rect x="10" y="10" width="260" height="130" rx="8" className="fill-card stroke-border" />
      <circle cx="22" cy="23" r="3" className="fill-border" />
      <circle cx="32" cy="23" r="3" className="fill-border" />
      <Words x={44} y={27} isQuiet>
        {title}
      </Words>
      <line x1="10" x2="270" y1="36" y2="36" className="stroke-border" />
      {children}
    </>
  )
}

function Field({ x, y, width, value }: Place & { width: number; value: string }) {
  return (
    <>
      <rect x={x} y={y} width={width} height="24" rx="5" className="fill-card stroke-input" />
      <Words x={x + 8} y={y + 16}>
        {value}
      </Words>
    </>
  )
}

/** What is pressed in this step. */
function Press({ x, y, width, label }: Place & { width: number; label: string }) {
  return (
    <>
      <rect x={x} y={y} width={width} height="24" rx="5" className="fill-primary" />
      <text x={x + width / 2} y={y + 16} fontSize="12" textAnchor="middle" className="fill-primary-foreground">
        {label}
      </text>
    </>
  )
}

function Tick({ x, y, children }: Place & { children: string }) {
  return (
    <>
      <rect x={x} y={y} width="14" height="14" rx="3" className="fill-primary" />
      <path
        d={`m${x + 3} ${y + 7} 3 3 5 -6`}
        fill="none"
        strokeWidth="1.8"
        strokeLinecap="round"
        className="stroke-primary-foreground"
      />
      <Words x={x + 22} y={y + 12}>
        {children}
      </Words>
    </>
  )
}

export const logInAtMeta = (
  <Drawing alt="Finestra di Meta: scegli la tua attività, poi premi «Continua».">
    <Page title="facebook.com">
      <Words x={24} y={56}>
        La tua attività
      </Words>
      <Field x={24} y={64} width={232} value="Studio Rossi" />
      <Press x={24} y={102} width={100} label="Continua" />
    </Page>
  </Drawing>
)

export const chooseOwnNumber = (
  <Drawing alt="Finestra di Meta: è scelto «Collega la tua app WhatsApp Business», sotto c’è il tuo numero.">
    <Page title="facebook.com">
      <circle cx="31" cy="54" r="6" strokeWidth="1.5" className="fill-card stroke-primary" />
      <circle cx="31" cy="54" r="3" className="fill-primary" />
      <Words x={44} y={58}>
        Collega la tua app
      </Words>
      <Words x={44} y={74}>
        WhatsApp Business
      </Words>
      <Field x={24} y={84} width={150} value="+39 333 123 4567" />
      <Press x={182} y={84} width={74} label="Avanti" />
      <Words x={24} y={128} isQuiet>
        Il numero che usi già sul telefono
      </Words>
    </Page>
  </Drawing>
)

export const confirmOnPhone = (
  <Drawing alt="Sul telefono: messaggio di Facebook Business con il pulsante «Collega» e la scelta di condividere la cronologia.">
    <rect x="56" y="6" width="168" height="160" rx="16" className="fill-card stroke-border" />
    <rect x="118" y="13" width="44" height="5" rx="2.5" className="fill-border" />
    <Words x={72} y={38} isQuiet>
      Facebook Business
    </Words>
    <rect x="68" y="46" width="144" height="58" rx="8" className="fill-muted" />
    <Words x={78} y={64}>
      Collega a Socio?
    </Words>
    <Press x={78} y={72} width={124} label="Collega" />
    <Tick x={72} y={114}>
      Condividi cronologia
    </Tick>
  </Drawing>
)

export const verifyNewNumber = (
  <Drawing alt="Finestra di Meta: il numero nuovo e il codice di sei cifre ricevuto per SMS.">
    <Page title="facebook.com">
      <Words x={24} y={56}>
        Numero nuovo
      </Words>
      <Field x={24} y={62} width={150} value="+39 02 1234567" />
      <Words x={24} y={104}>
        Codice ricevuto
      </Words>
      <Field x={24} y={110} width={90} value="4 8 1 5 1 6" />
      <Press x={122} y={110} width={80} label="Verifica" />
    </Page>
  </Drawing>
)

export const readyInSocio = (
  <Drawing alt="In Socio: il riquadro WhatsApp con il tuo numero e lo stato «Attivo».">
    <Page title="Socio · Canali">
      <Words x={24} y={58}>
        WhatsApp
      </Words>
      <Words x={24} y={76} isQuiet>
        Il tuo numero
      </Words>
      <Tick x={24} y={90}>
        Attivo
      </Tick>
    </Page>
  </Drawing>
)

export const historyInSocio = (
  <Drawing alt="In Socio: lo stato è «Attivo» e una barra mostra quanti messaggi del telefono sono già arrivati.">
    <Page title="Socio · Canali">
      <Tick x={24} y={48}>
        Attivo
      </Tick>
      <Words x={24} y={88}>
        Messaggi del telefono: 60%
      </Words>
      <rect x="24" y="98" width="232" height="8" rx="4" className="fill-muted" />
      <rect x="24" y="98" width="139" height="8" rx="4" className="fill-primary" />
    </Page>
  </Drawing>
)

export const findIds = (
  <Drawing alt="Pagina «Configurazione API» della tua app: i due ID, quello del numero e quello dell’account.">
    <Page title="WhatsApp → Configurazione API">
      <Words x={24} y={56}>
        ID del numero di telefono
      </Words>
      <Field x={24} y={62} width={170} value="106540352242922" />
      <Words x={24} y={104}>
        ID dell’account WhatsApp Business
      </Words>
      <Field x={24} y={110} width={170} value="102290129340398" />
    </Page>
  </Drawing>
)

export const makeToken = (
  <Drawing alt="Pagina «Utenti di sistema»: i due permessi di WhatsApp spuntati e il pulsante «Genera token».">
    <Page title="Utenti di sistema">
      <Tick x={24} y={46}>
        whatsapp_business_messaging
      </Tick>
      <Tick x={24} y={70}>
        whatsapp_business_management
      </Tick>
      <Press x={24} y={102} width={110} label="Genera token" />
    </Page>
  </Drawing>
)

export const findSecret = (
  <Drawing alt="Pagina «Di base» delle impostazioni dell’app: la chiave segreta nascosta e il pulsante «Mostra».">
    <Page title="Impostazioni dell’app → Di base">
      <Words x={24} y={62}>
        Chiave segreta
      </Words>
      <Field x={24} y={72} width={150} value="● ● ● ● ● ● ● ●" />
      <Press x={182} y={72} width={74} label="Mostra" />
    </Page>
  </Drawing>
)

export const subscribeFields = (
  <Drawing alt="Pagina «Configurazione» di WhatsApp: il campo «messages» e, per un numero sul telefono, altri tre campi, spuntati.">
    <Page title="WhatsApp → Configurazione">
      <Tick x={24} y={44}>
        messages
      </Tick>
      <Tick x={24} y={67}>
        history
      </Tick>
      <Tick x={24} y={90}>
        smb_app_state_sync
      </Tick>
      <Tick x={24} y={113}>
        smb_message_echoes
      </Tick>
    </Page>
  </Drawing>
)
