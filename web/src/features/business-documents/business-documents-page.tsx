/** /business-documents: four texts made on click. «Pagina Eliminata» is a state of this view only (SITE-13). */
import { DownloadIcon } from 'lucide-react'
import { useState } from 'react'

import { PageMessage } from '@/components/page-message'
import { Button } from '@/components/ui/button'
import { paths } from '@/paths'

const documents = [
  {
    id: 'bozza-di-progetto',
    title: 'Bozza di progetto',
    text: 'Obiettivi, confini, fasi, ruoli e rischi: da completare con il cliente prima di dire sì.',
  },
  {
    id: 'business-plan',
    title: 'Business plan',
    text: 'Dieci capitoli con le domande giuste e i conti essenziali, a misura di chi lavora in proprio.',
  },
  {
    id: 'preventivo-e-consuntivo-costi',
    title: 'Preventivo e consuntivo costi',
    text: 'Voce per voce, previsto contro speso, con il margine e il promemoria di IVA e ritenuta.',
  },
  {
    id: 'guida-whatsapp-business',
    title: 'Guida alle credenziali WhatsApp Business',
    text: 'Come ottenerle da Meta, passo per passo, e dove metterle in Socio.',
  },
] as const

export type DocumentId = (typeof documents)[number]['id']

/** The texts come when somebody wants one. @throws Error when they cannot be loaded */
async function download(id: DocumentId): Promise<void> {
  const [{ texts }, { saveFile }] = await Promise.all([
    import('@/features/business-documents/texts'),
    import('@/lib/save-file'),
  ])
  saveFile(`${id}.txt`, texts[id], 'text/plain')
}

export default function BusinessDocumentsPage() {
  const [isDeleted, setDeleted] = useState(false)
  const [failed, setFailed] = useState<DocumentId | null>(null)

  async function choose(id: DocumentId): Promise<void> {
    setFailed(null)
    await download(id).catch(() => setFailed(id))
  }

  if (isDeleted) {
    return (
      <PageMessage
        title="Pagina Eliminata"
        text="I documenti che hai scaricato sono sul tuo dispositivo. Questa pagina non li mostra più."
        action={{ label: 'Torna alla Home', to: paths.landing }}
      />
    )
  }
  return (
    <div className="column grid max-w-3xl gap-10 py-10 sm:py-16">
      <header>
        <h1 className="font-display text-3xl font-medium text-balance sm:text-5xl">Documenti per la tua attività</h1>
        <p className="mt-5 text-base text-pretty text-muted-foreground sm:text-xl">
          Quattro testi da scaricare e completare. Nascono nel tuo browser: nessuno sa che li hai presi.
        </p>
      </header>
      <ul className="divide-y border-y">
        {documents.map(({ id, title, text }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-4 py-5">
            <div className="max-w-md">
              <h2 className="text-base font-semibold sm:text-xl">{title}</h2>
              <p className="mt-1 text-pretty text-muted-foreground">{text}</p>
              {failed === id && (
                <p role="alert" className="mt-1 text-sm font-medium text-error">
                  Il documento non si scarica: controlla la connessione e riprova.
                </p>
              )}
            </div>
            <Button variant="outline" aria-label={`Scarica: ${title}`} onClick={() => void choose(id)}>
              <DownloadIcon aria-hidden />
              Scarica
            </Button>
          </li>
        ))}
      </ul>
      <div className="grid justify-items-start gap-3">
        <p className="text-sm text-muted-foreground">Hai scaricato quello che ti serve?</p>
        <Button variant="destructive" onClick={() => setDeleted(true)}>
          Conferma il download ed elimina la pagina
        </Button>
      </div>
    </div>
  )
}
