/** Catches rendering errors, says so calmly and logs them (GUARD-10); lost code is only shown. */
import { Component, type ErrorInfo, type ReactNode } from 'react'

import { Button } from '@/components/ui/button'
import { isLostChunk } from '@/lib/chunk'

/** What writes the log is heavy, and rendering errors are rare. */
async function log(error: Error, { componentStack }: ErrorInfo): Promise<void> {
  const { logError } = await import('@/data/error-logs')
  await logError(error, componentStack)
}

function textOf(error: Error): string {
  if (isLostChunk(error)) return 'Non siamo riusciti a caricare la pagina. Controlla la connessione e ricaricala.'
  return error.message || 'Si è verificato un errore inaspettato'
}

/** A new `resetKey` (another page) deserves another try. */
type Props = { children: ReactNode; resetKey?: string }
type State = { error: Error | null; resetKey?: string | undefined }

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(thrown: unknown): Pick<State, 'error'> {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) }
  }

  override componentDidCatch(thrown: unknown, info: ErrorInfo): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    if (isLostChunk(error)) return
    // A log that cannot be written must not become a second error for the reader.
    log(error, info).catch(() => undefined)
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return resetKey === state.resetKey ? null : { error: null, resetKey }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <section
        role="alert"
        className="column grid min-h-[60dvh] place-content-center justify-items-center gap-3 py-12 text-center"
      >
        <h1 className="font-display text-3xl font-medium">Qualcosa è andato storto</h1>
        <p className="max-w-md break-words text-muted-foreground">{textOf(error)}</p>
        <Button className="mt-3" onClick={() => window.location.reload()}>
          Ricarica Pagina
        </Button>
      </section>
    )
  }
}
