import { Spinner } from '@/components/ui/spinner'
import type { Pending as Question } from '@/features/chat/use-asking'

/** A question on its way. */
export function Pending({ question: { text, attachments } }: { question: Question }) {
  return (
    <div className="grid justify-items-end gap-2">
      <div className="max-w-[85%] rounded-xl bg-secondary px-4 py-2.5 break-words whitespace-pre-wrap opacity-80">
        {text}
      </div>
      <p role="status" className="flex items-center gap-2 text-xs text-muted-foreground">
        <Spinner aria-hidden className="size-3.5" />
        Invio
        {attachments.length > 0 &&
          ` con ${attachments.length === 1 ? 'un allegato' : `${attachments.length} allegati`}`}
        …
      </p>
    </div>
  )
}
