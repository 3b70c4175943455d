/** The words of a voice note, or how to get them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { VoiceConsentDialog } from '@/components/voice-consent-dialog'
import { agreeToProvider, type ChatSettings, chatSettingsQuery } from '@/data/chat-settings'
import { useTranscribeVoice, type WhatsappMessage } from '@/data/whatsapp'
import { FunctionError } from '@/lib/server-errors'
import { credits } from '@/strings/credits'
import { transcriptProblems } from '@/strings/whatsapp'

type Props = { userId: string; message: WhatsappMessage }

/** As private.ask_transcript: longer ones are not taken. */
const LONGEST_S = 20 * 60

export function WhatsappVoice({ userId, message }: Props) {
  const { data: settings } = useQuery(chatSettingsQuery(userId))
  const { transcript, transcript_by: by, transcript_state: state, transcript_error: error } = message
  if (transcript) {
    return (
      <figure className="grid gap-1 border-l-2 pl-2">
        <blockquote className="break-words whitespace-pre-wrap">{transcript}</blockquote>
        <figcaption className="text-xs text-muted-foreground">
          Trascrizione dell’IA{by && ` di ${by}`}: può contenere errori
        </figcaption>
      </figure>
    )
  }
  return (
    <div role="status" className="grid justify-items-start gap-1">
      {state === 'attesa' && (
        <p className="text-muted-foreground">
          {message.transcript_retries > 0
            ? 'L’IA non risponde: riproviamo da soli tra poco, senza altri crediti'
            : 'Trascrizione in corso…'}
        </p>
      )}
      {state === 'fallito' && error && <p className="break-words text-muted-foreground">{transcriptProblems[error]}</p>}
      {state !== 'attesa' && message.storage_path && settings?.voice && (
        <Ask userId={userId} message={message} settings={settings} />
      )}
    </div>
  )
}

function Ask({ userId, message, settings }: Props & { settings: ChatSettings }) {
  const client = useQueryClient()
  const transcribe = useTranscribeVoice(userId)
  const [isAsked, setIsAsked] = useState(false)
  const length = message.voice_s ?? 0
  const price = settings.prices.voice_minute * Math.ceil(length / 60)
  if (length > LONGEST_S)
    return <p className="text-muted-foreground">Dura più di 20 minuti: è troppo lungo da trascrivere</p>

  async function onTranscribe(isAgreed: boolean) {
    setIsAsked(false)
    try {
      if (!isAgreed) await agreeToProvider(client, userId, settings.host)
      await transcribe.mutateAsync({ id: message.id, max_credits: price })
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti: riprova')
      // The price or the provider may be another by now.
      await client.invalidateQueries({ queryKey: chatSettingsQuery(userId).queryKey })
    }
  }

  return (
    <>
      <Button
        variant="outline"
        size="sm"
        disabled={transcribe.isPending}
        onClick={() => (settings.is_agreed ? void onTranscribe(true) : setIsAsked(true))}
      >
        Trascrivi · {credits(price)}
      </Button>
      {isAsked && (
        <VoiceConsentDialog
          settings={settings}
          confirm="Va bene, trascrivi"
          onAgree={() => void onTranscribe(false)}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  )
}
