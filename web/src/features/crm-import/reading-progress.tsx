import { Button } from '@/components/ui/button'
import { Progress } from '@/components/ui/progress'

type Props = { read: number | null; problem: string | null; onGiveUp: () => void }

/** How far a file of contacts has been read, or why it cannot be. */
export function ReadingProgress({ read, problem, onGiveUp }: Props) {
  return (
    <>
      {read !== null && (
        <div className="grid w-full max-w-xs justify-items-center gap-2">
          <Progress value={Math.round(read * 100)} aria-label="Lettura del file" />
          <Button variant="ghost" onClick={onGiveUp}>
            Annulla la lettura
          </Button>
        </div>
      )}
      {problem && (
        <p role="alert" className="max-w-md rounded-md bg-error-tint px-4 py-3 text-sm">
          {problem}
        </p>
      )}
    </>
  )
}
