import { Button } from '@/components/ui/button'
import type { Suggestion } from '@/data/chat'

type Props = { suggestions: readonly Suggestion[]; onChoose: (suggestion: Suggestion) => void }

/** What one may answer with a click. */
export function Suggestions({ suggestions, onChoose }: Props) {
  if (suggestions.length === 0) return null
  return (
    <ul aria-label="Risposte pronte" className="flex flex-wrap gap-2">
      {suggestions.map((suggestion) => (
        <li key={`${suggestion.label} ${suggestion.ref?.id ?? suggestion.text}`}>
          <Button
            variant="outline"
            size="sm"
            className="h-auto min-h-11 py-1.5 text-left whitespace-normal sm:min-h-9"
            onClick={() => onChoose(suggestion)}
          >
            {suggestion.label}
          </Button>
        </li>
      ))}
    </ul>
  )
}
