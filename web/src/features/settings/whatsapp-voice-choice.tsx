/** Voice notes of WhatsApp in the settings: who writes them down, for how much, and whether by itself. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { LoadError } from '@/components/load-error'
import { tellFailure } from '@/components/save-failure'
import { Skeleton } from '@/components/ui/skeleton'
import { VoiceConsentDialog } from '@/components/voice-consent-dialog'
import { agreeToProvider, type ChatSettings, chatSettingsQuery } from '@/data/chat-settings'
import { useSaveWhatsappSettings, whatsappSettingsQuery } from '@/data/whatsapp-settings'
import { credits } from '@/strings/credits'

export function WhatsappVoiceChoice({ userId }: { userId: string }) {
  const { data: settings, isError, refetch } = useQuery(chatSettingsQuery(userId))
  return (
    <section aria-label="Messaggi vocali" className="grid gap-2 text-sm">
      <h3 className="font-medium">Messaggi vocali</h3>
      {isError && !settings && (
        <LoadError text="Non riusciamo a leggere chi può trascrivere." onRetry={() => void refetch()} />
      )}
      {!settings && !isError && <Skeleton aria-busy className="h-10" />}
      {settings?.voice && <Choice userId={userId} settings={settings} />}
      {settings && !settings.voice && <p className="text-muted-foreground">{whyNot(settings)}</p>}
    </section>
  )
}

/** Why nothing can be written down now. */
function whyNot({ ai_stopped: isStopped, local_only: isLocalOnly }: ChatSettings): string {
  if (isStopped) return 'Abbiamo fermato l’IA per tutti, per il momento: i messaggi vocali si ascoltano soltanto.'
  if (isLocalOnly) return 'Hai scelto «solo modalità locale»: i messaggi vocali si ascoltano, e nessuno li trascrive.'
  return 'Qui Socio non ha un fornitore di IA che trascrive: i messaggi vocali si ascoltano soltanto.'
}

function Choice({ userId, settings }: { userId: string; settings: ChatSettings }) {
  const client = useQueryClient()
  const { data: chosen } = useQuery(whatsappSettingsQuery(userId))
  const save = useSaveWhatsappSettings(userId)
  const [isAsked, setIsAsked] = useState(false)
  const price = settings.prices.voice_minute
  const agreed = save.isPending ? save.variables.voice_credits : chosen?.voice_credits
  const isOn = typeof agreed === 'number' && agreed >= price

  async function turnOn(isAgreed: boolean) {
    setIsAsked(false)
    try {
      if (!isAgreed) await agreeToProvider(client, userId, settings.host)
      await save.mutateAsync({ voice_credits: price })
    } catch (failure) {
      tellFailure(failure)
    }
  }
  function onChange(isWanted: boolean) {
    if (!isWanted) save.mutate({ voice_credits: null }, { onError: tellFailure })
    else if (settings.is_agreed) void turnOn(true)
    else setIsAsked(true)
  }

  return (
    <>
      <p className="text-muted-foreground">
        Nella chat premi «Trascrivi»: l’audio va a {settings.provider} e il testo resta sotto il messaggio. Costa{' '}
        {credits(price)} al minuto, e niente se non riesce.
      </p>
      <label className="flex min-h-11 cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          checked={isOn}
          disabled={!chosen || save.isPending}
          onChange={({ target }) => onChange(target.checked)}
          className="size-5 shrink-0 accent-primary"
        />
        Trascrivi i messaggi vocali appena arrivano
      </label>
      <p className="text-muted-foreground">
        Quelli fino a 5 minuti, al massimo 50 al giorno. Se il prezzo sale, si ferma finché non lo confermi qui.
      </p>
      {isAsked && (
        <VoiceConsentDialog
          settings={settings}
          confirm="Va bene, trascrivi"
          onAgree={() => void turnOn(false)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  )
}
