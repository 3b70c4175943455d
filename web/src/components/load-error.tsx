import { Button } from '@/components/ui/button'

/** The error state of a part of a page: what happened, and «Riprova». */
export function LoadError({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-start gap-3 rounded-md bg-error-tint p-4 text-sm">
      <p>{text}</p>
      <Button variant="outline" size="sm" onClick={onRetry}>
        Riprova
      </Button>
    </div>
  )
}
