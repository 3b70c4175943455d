import { CloudAlertIcon, CloudUploadIcon } from 'lucide-react'

type Props = { isRefused: boolean; /** The words only for screen readers. */ isShort?: boolean }

/** The mark of something that only this browser knows yet. */
export function WaitsForNetwork({ isRefused, isShort = false }: Props) {
  const Icon = isRefused ? CloudAlertIcon : CloudUploadIcon
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-muted-foreground">
      <Icon aria-hidden className="size-3.5 shrink-0 text-warning" />
      <span className={isShort ? 'sr-only' : undefined}>{isRefused ? 'non inviata' : 'in attesa di rete'}</span>
    </span>
  )
}
