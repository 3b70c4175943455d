import { FileTextIcon, XIcon } from 'lucide-react'

import { Spinner } from '@/components/ui/spinner'
import { removeUpload, type UploadItem } from '@/data/uploads'
import type { Attachment } from '@/features/chat/composer/drafts'
import { uploadFailures } from '@/strings/files'

type Props = { uploading: UploadItem[]; attachments: Attachment[]; onRemove: (id: string) => void }

/** The files that go with the question: on their way, arrived, or refused with the reason. */
export function AttachmentChips({ uploading, attachments, onRemove }: Props) {
  if (uploading.length + attachments.length === 0) return null
  return (
    <ul aria-label="Allegati" className="flex flex-wrap gap-2 px-3 pt-3">
      {attachments.map(({ id, name }) => (
        <Chip
          key={id}
          name={name}
          icon={<FileTextIcon aria-hidden className="size-4" />}
          onRemove={() => onRemove(id)}
        />
      ))}
      {uploading.map((item) => (
        <Chip
          key={item.id}
          name={item.name}
          icon={item.state === 'failed' ? null : <Spinner aria-hidden className="size-4" />}
          detail={detailOf(item)}
          isWrong={item.state === 'failed'}
          onRemove={() => removeUpload(item.id)}
        />
      ))}
    </ul>
  )
}

function detailOf(item: UploadItem): string {
  if (item.state === 'failed') return uploadFailures[item.failure]
  if (item.state === 'interrupted') return 'Connessione interrotta: riprovo da solo'
  return `${item.size > 0 ? Math.floor((item.sentBytes / item.size) * 100) : 0}%`
}

type ChipProps = { name: string; icon: React.ReactNode; detail?: string; isWrong?: boolean; onRemove: () => void }

function Chip({ name, icon, detail, isWrong = false, onRemove }: ChipProps) {
  return (
    <li className="flex max-w-full items-center gap-2 rounded-md border bg-background pl-2.5 text-sm">
      {icon}
      <span className="grid min-w-0 py-1">
        <span className="truncate font-medium">{name}</span>
        {detail && (
          <span
            role={isWrong ? 'alert' : undefined}
            className={isWrong ? 'text-xs text-error' : 'text-xs text-muted-foreground tabular'}
          >
            {detail}
          </span>
        )}
      </span>
      <button
        type="button"
        aria-label={`Togli ${name}`}
        onClick={onRemove}
        className="grid size-9 shrink-0 place-items-center rounded-md text-muted-foreground hover:text-foreground max-sm:size-11"
      >
        <XIcon aria-hidden className="size-4" />
      </button>
    </li>
  )
}
