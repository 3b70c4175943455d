import { Button } from '@/components/ui/button'

/** Shown when the server did not hand over its settings: nothing else can work. */
export function StartFailure() {
  return (
    <main className="column grid min-h-dvh place-content-center justify-items-center gap-3 text-center">
      <h1 className="font-display text-3xl font-medium">Socio non risponde</h1>
      <p className="max-w-md text-muted-foreground">
        Non riusciamo a raggiungere il server. Controlla la connessione e riprova tra un momento.
      </p>
      <Button className="mt-3" onClick={() => window.location.reload()}>
        Riprova
      </Button>
    </main>
  )
}
