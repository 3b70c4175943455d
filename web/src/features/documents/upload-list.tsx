/** Files on their way: one line each, with how far it is and what can be done. */
import { CheckIcon, CircleAlertIcon, type LucideIcon, PauseIcon, PlayIcon, RotateCwIcon, XIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'
import { pauseUpload, removeUpload, resumeUpload, type UploadItem } from '@/data/uploads'
import { DocumentIcon } from '@/features/documents/document-icon'
import { cn } from '@/lib/cn'
import { isFinal } from '@/lib/resumable-upload'
import { formatBytes, remainingTime, uploadFailures } from '@/strings/files'

export function UploadList({ items }: { items: readonly UploadItem[] }) {
  const done = items.filter(({ state }) => state === 'done')
  return (
    <section aria-labelledby="caricamenti" className="grid gap-3">
      <h2 id="caricamenti" className="text-sm font-medium text-muted-foreground">
        Caricamenti
      </h2>
      <ul className="divide-y overflow-hidden rounded-md border bg-card">
        {items.map((item) => (
          <UploadRow key={item.id} item={item} />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {done.length === 0 ? '' : done.length === 1 ? '1 documento caricato' : `${done.length} documenti caricati`}
      </p>
    </section>
  )
}

function UploadRow({ item }: { item: UploadItem }) {
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
        {state !== 'failed' && state !== 'done' && (
          <Progress
            value={percent}
            aria-label={`Caricamento di ${name}`}
            className={cn((state === 'paused' || state === 'interrupted') && 'opacity-60')}
          />
        )}
        <Status item={item} percent={percent} />
      </div>
      <div className="flex shrink-0">
        {isMoving && <Action icon={PauseIcon} label="Metti in pausa" name={name} onClick={() => pauseUpload(id)} />}
        {state === 'paused' && <Action icon={PlayIcon} label="Riprendi" name={name} onClick={() => resumeUpload(id)} />}
        {state === 'failed' && !isFinal(item.failure) && (
          <Action icon={RotateCwIcon} label="Riprova" name={name} onClick={() => resumeUpload(id)} />
        )}
        <Action
          icon={XIcon}
          label={state === 'done' || state === 'failed' ? 'Togli dall’elenco' : 'Annulla caricamento'}
          name={name}
          onClick={() => removeUpload(id)}
        />
      </div>
    </li>
  )
}

type ActionProps = { icon: LucideIcon; label: string; name: string; onClick: () => void }

function Action({ icon: Icon, label, name, onClick }: ActionProps) {
  return (
    <Button
      variant="ghost"
      size="icon"
      className="text-muted-foreground"
      aria-label={`${label}: ${name}`}
      title={label}
      onClick={onClick}
    >
      <Icon aria-hidden />
    </Button>
  )
}

function Status({ item, percent }: { item: UploadItem; percent: number }) {
  switch (item.state) {
    case 'failed':
      return (
        <p role="alert" className="flex gap-1.5 text-sm text-error">
          <CircleAlertIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
          {uploadFailures[item.failure]}
        </p>
      )
    case 'done':
      return (
        <p className="flex items-center gap-1.5 text-sm text-success">
          <CheckIcon aria-hidden className="size-4" />
          Caricato, {formatBytes(item.size)}
        </p>
      )
    default:
      return <p className="text-sm text-muted-foreground tabular">{sentence(item, percent)}</p>
  }
}

function sentence(item: Exclude<UploadItem, { state: 'failed' | 'done' }>, percent: number): string {
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
