/** What the person asked; editing it asks again, beside the old question. */
import { FileTextIcon, PencilIcon } from 'lucide-react'
import { type KeyboardEvent, memo, useState } from 'react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { Textarea } from '@/components/ui/textarea'
import type { Message } from '@/data/chat'
import { BranchSwitch } from '@/features/chat/thread/branch-switch'
import { CopyTool } from '@/features/chat/thread/copy-tool'
import { ToolButton } from '@/features/chat/thread/tool-button'
import { paths } from '@/paths'
import { refusalText } from '@/strings/chat'

type Props = {
  message: Message
  versions: readonly string[]
  /** Names of the documents, by id. */
  names: Readonly<Record<string, string>>
  isEdited: boolean
  /** Nothing may be asked while an answer is being given. */
  isBusy: boolean
  onEdit: (id: string | null) => void
  onAsk: (message: Message, text: string) => Promise<void>
  onChoose: (id: string) => void
}

export const Question = memo(function Question(props: Props) {
  const { message, versions, names, isEdited, isBusy, onEdit, onAsk, onChoose } = props
  if (isEdited) return <Editor message={message} onAsk={onAsk} onClose={() => onEdit(null)} />
  return (
    <div className="grid justify-items-end gap-1">
      <div className="max-w-[85%] rounded-xl bg-secondary px-4 py-2.5 break-words whitespace-pre-wrap text-foreground">
        <span className="sr-only">La tua domanda: </span>
        {message.content}
      </div>
      {message.attachments.length > 0 && (
        <ul aria-label="Allegati" className="flex max-w-[85%] flex-wrap justify-end gap-2">
          {message.attachments.map((id) => (
            <li key={id} className="min-w-0">
              <Link
                to={paths.document(id)}
                className="flex min-h-9 items-center gap-2 rounded-md border bg-card px-2.5 text-sm hover:bg-muted max-sm:min-h-11"
              >
                <FileTextIcon aria-hidden className="size-4 shrink-0" />
                <span className="truncate">{names[id] ?? 'Documento'}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="-mr-2.5 flex items-center">
        <BranchSwitch versions={versions} current={message.id} onChoose={onChoose} />
        <CopyTool text={message.content} />
        <ToolButton
          icon={PencilIcon}
          label="Modifica la domanda"
          disabled={isBusy}
          onClick={() => onEdit(message.id)}
        />
      </div>
    </div>
  )
})

type EditorProps = { message: Message; onAsk: Props['onAsk']; onClose: () => void }

function Editor({ message, onAsk, onClose }: EditorProps) {
  const [text, setText] = useState(message.content)
  const [isAsking, setAsking] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)

  async function send() {
    if (text.trim() === '' || isAsking) return
    setAsking(true)
    try {
      await onAsk(message, text)
      onClose()
    } catch (error) {
      setRefusal(refusalText(error))
      setAsking(false)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      onClose()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    }
  }

  return (
    <form
      className="grid gap-2 rounded-xl border bg-card p-3"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <Textarea
        // What one has just asked to edit is where one wants to write.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label="La tua domanda"
        value={text}
        className="field-sizing-content max-h-[50dvh] min-h-12"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {refusal && (
        <p role="alert" className="text-sm text-error">
          {refusal}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        <p className="mr-auto text-xs text-muted-foreground">La risposta di prima resta: la ritrovi con ‹ ›.</p>
        <Button type="button" variant="ghost" size="sm" onClick={onClose}>
          Annulla
        </Button>
        <Button size="sm" disabled={isAsking || text.trim() === ''}>
          {isAsking && <Spinner aria-hidden />}
          Chiedi
        </Button>
      </div>
    </form>
  )
}
