/** Who writes the letters of an agent: our templates, or the assistant at a price; why not, where it cannot. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'

import { ProviderConsentDialog } from '@/components/provider-consent-dialog'
import { RadioCard } from '@/components/radio-card'
import { tellFailure } from '@/components/save-failure'
import { Input } from '@/components/ui/input'
import { Label } from '@/components/ui/label'
import { agreeToProvider, type ChatSettings, chatSettingsQuery } from '@/data/chat-settings'
import { paths } from '@/paths'
import { modelOf } from '@/strings/chat'
import { credits } from '@/strings/credits'

export type Writer = {
  /** The price that is agreed for each; null: templates. */
  credits: number | null
  /** As it is typed. */
  budget: string
  style: string
}
type Props = { userId: string; value: Writer; onChange: (value: Writer) => void }

export function MandateWriter({ userId, value, onChange }: Props) {
  const client = useQueryClient()
  const { data: settings } = useQuery(chatSettingsQuery(userId))
  const [isAsked, setIsAsked] = useState(false)
  const price = settings?.prices.letter
  const reason = settings ? whyNot(settings) : null
  const isChosen = value.credits !== null

  function choose() {
    if (price === undefined) return
    if (settings?.is_agreed) onChange({ ...value, credits: price })
    else setIsAsked(true)
  }

  async function agree() {
    setIsAsked(false)
    if (price === undefined) return
    try {
      await agreeToProvider(client, userId, settings?.host ?? null)
    } catch (failure) {
      tellFailure(failure)
      return
    }
    onChange({ ...value, credits: price })
  }

  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-sm font-medium">Chi scrive i solleciti</legend>
      <RadioCard name="chi-scrive" isLong checked={!isChosen} onChange={() => onChange({ ...value, credits: null })}>
        <span>
          <span className="block font-medium">Modelli di Socio · gratis</span>
          Testi pronti, diversi per tono. Niente va a un fornitore di IA.
        </span>
      </RadioCard>
      <RadioCard
        name="chi-scrive"
        isLong
        checked={isChosen}
        disabled={!isChosen && (price === undefined || reason !== null)}
        onChange={choose}
        aria-describedby="chi-scrive-nota"
      >
        <span>
          <span className="block font-medium">
            L’assistente, con il tuo tono{price !== undefined && ` · ${credits(price)} l’uno`}
          </span>
          Ogni testo aspetta il tuo sì. Se non riesce non paghi e ricevi il modello.
        </span>
      </RadioCard>
      <p id="chi-scrive-nota" className="text-sm text-pretty text-muted-foreground">
        {reason ?? (
          <>
            Al fornitore vanno nome del cliente, numeri, importi e date. IBAN, elenco e firma li aggiunge Socio sotto il
            testo.
          </>
        )}{' '}
        {reason && (
          <Link to={settings?.local_only ? paths.settingsPrivacy : paths.chat} className="underline">
            {settings?.local_only ? 'Cambia in Privacy' : 'Vedi l’assistente'}
          </Link>
        )}
      </p>
      {isChosen && price !== undefined && value.credits !== null && value.credits < price && (
        <p role="status" className="rounded-md bg-warning-tint p-3 text-sm text-pretty">
          Il prezzo è salito a {credits(price)} l’uno: finché non lo scegli di nuovo i testi vengono dai modelli.{' '}
          <button type="button" className="min-h-11 font-medium underline" onClick={choose}>
            Va bene {credits(price)}
          </button>
        </p>
      )}
      {isChosen && (
        <div className="grid gap-4 sm:grid-cols-[minmax(0,12rem)_minmax(0,1fr)]">
          <div className="grid content-start gap-1.5">
            <Label htmlFor="crediti-obiettivo">Al massimo crediti</Label>
            <Input
              id="crediti-obiettivo"
              inputMode="numeric"
              value={value.budget}
              aria-describedby="crediti-nota"
              onChange={({ target }) => onChange({ ...value, budget: target.value })}
            />
            <p id="crediti-nota" className="text-sm text-pretty text-muted-foreground">
              Da ora in poi. Finiti quelli si ferma e ti chiede.
            </p>
          </div>
          <div className="grid content-start gap-1.5">
            <Label htmlFor="tuo-tono">Il tuo tono (facoltativo)</Label>
            <Input
              id="tuo-tono"
              value={value.style}
              maxLength={200}
              placeholder="Per esempio: frasi brevi, cordiale, senza formule"
              onChange={({ target }) => onChange({ ...value, style: target.value })}
            />
          </div>
        </div>
      )}
      {isAsked && settings && (
        <ProviderConsentDialog
          title="Chi scrive i solleciti"
          confirm="Va bene"
          onAgree={() => void agree()}
          onClose={() => setIsAsked(false)}
        >
          I testi li scrive {modelOf(settings.provider, settings.in_eu)}. Riceve il nome del cliente, con numeri,
          importi e date di ciò che è aperto; non l’IBAN né altri clienti.
        </ProviderConsentDialog>
      )}
    </fieldset>
  )
}

/** Why the assistant cannot write now; null where it can. */
function whyNot({ ai, ai_stopped: isStopped, local_only: isLocalOnly }: ChatSettings): string | null {
  if (isStopped) return 'Abbiamo fermato l’IA per tutti, per il momento.'
  if (isLocalOnly) return 'Hai scelto «solo modalità locale»: niente va a un fornitore di IA.'
  return ai ? null : 'Qui Socio non ha un fornitore di IA collegato.'
}
