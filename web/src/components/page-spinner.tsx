import { Spinner } from '@/components/ui/spinner'

/** Fills the page while something must be known before anything can be shown. */
export function PageSpinner({ text }: { text?: string }) {
  return (
    <div className="grid min-h-[60dvh] place-content-center justify-items-center gap-3 text-muted-foreground">
      <Spinner className="size-6 text-primary" />
      {text && <p className="text-sm">{text}</p>}
    </div>
  )
}
