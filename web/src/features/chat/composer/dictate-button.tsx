import { clsx } from 'clsx'
import { MicIcon } from 'lucide-react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { canDictate, useDictation } from '@/lib/dictation'

/** Dictation, where the browser has it. */
export function DictateButton({ onWords }: { onWords: (words: string) => void }) {
  const { isListening, toggle } = useDictation({
    onWords,
    onError: (error) =>
      toast.error(
        error === 'not-allowed'
          ? 'Il browser non ci lascia usare il microfono: consentilo per questo sito e riprova.'
          : 'La dettatura non ha funzionato: riprova o scrivi.',
      ),
  })
  if (!canDictate()) return null
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={isListening ? 'Ferma la dettatura' : 'Detta'}
      aria-pressed={isListening}
      title="Detta: la voce diventa testo nel browser, che può usare un servizio del suo produttore"
      className={clsx(isListening && 'bg-error-tint text-error')}
      onClick={toggle}
    >
      <MicIcon aria-hidden />
    </Button>
  )
}
