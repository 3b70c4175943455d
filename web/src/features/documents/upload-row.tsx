/** One file on its way to the server: how far it is and what can be done. */
import { CircleAlertIcon, PauseIcon, PlayIcon, RotateCwIcon, XIcon } from 'lucide-react'

import { Progress } from '@/components/ui/progress'
import { pauseUpload, removeUpload, resumeUpload, type UploadItem } from '@/data/uploads'
import { DocumentIcon } from '@/features/documents/document-icon'
import { QueueAction } from '@/features/documents/queue-action'
import { cn } from '@/lib/cn'
import { isFinal } from '@/lib/resumable-upload'
import { formatBytes, remainingTime, uploadFailures } from '@/strings/files'

export function UploadRow({ item }: { item: UploadItem }) {
  const { id, name, size, sentBytes, state } = item
  const percent = size > 0 ? Math.floor((sentBytes / size) * 100) : 0
  const isMoving = state === 'sending' || state === 'interrupted' || state === 'waiting'
  return (
    <li className="flex items-center gap-3 py-3 pr-1.5 pl-4 sm:gap-4 sm:pr-2.5">
      <DocumentIcon name={name} className="hidden sm:block" />
      <div className="grid min-w-0 flex-1 gap-1.5">
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        {state !== 'failed' && (
          <Progress
            value={percent}
            aria-label={`Caricamento di ${name}`}
            className={cn((state === 'paused' || state === 'interrupted') && 'opacity-60')}
          />
        )}
        {state === 'failed' ? (
          <p role="alert" className="flex gap-1.5 text-sm text-error">
            <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
            {uploadFailures[item.failure]}
          </p>
        ) : (
          <p className="text-sm text-muted-foreground tabular">{sentence(item, percent)}</p>
        )}
      </div>
      <div className="flex shrink-0">
        {isMoving && (
          <QueueAction icon={PauseIcon} label="Metti in pausa" name={name} onClick={() => pauseUpload(id)} />
        )}
        {state === 'paused' && (
          <QueueAction icon={PlayIcon} label="Riprendi" name={name} onClick={() => resumeUpload(id)} />
        )}
        {state === 'failed' && !isFinal(item.failure) && (
          <QueueAction icon={RotateCwIcon} label="Riprova" name={name} onClick={() => resumeUpload(id)} />
        )}
        <QueueAction
          icon={XIcon}
          label={state === 'failed' ? 'Togli dall’elenco' : 'Annulla caricamento'}
          name={name}
          onClick={() => removeUpload(id)}
        />
      </div>
    </li>
  )
}

function sentence(item: Exclude<UploadItem, { state: 'failed' }>, percent: number): string {
  const sent = `${formatBytes(item.sentBytes)} di ${formatBytes(item.size)}`
  switch (item.state) {
    case 'waiting':
      return `In attesa · ${formatBytes(item.size)}`
    case 'paused':
      return `In pausa · ${sent}`
    case 'interrupted':
      return `Connessione interrotta: riprovo da solo · ${sent}`
    case 'sending': {
      if (item.sentBytes === item.size) return 'Sto salvando…'
      if (!item.bytesPerSecond) return `${percent}% · ${sent}`
      const left = remainingTime((item.size - item.sentBytes) / item.bytesPerSecond)
      return `${percent}% · ${sent} · ${formatBytes(item.bytesPerSecond)}/s · ${left}`
    }
  }
}
