/** The box that searches a list while one types; `/` goes there. */
import { SearchIcon } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

import { Input } from '@/components/ui/input'
import { useShortcut } from '@/lib/shortcut'

/** Long enough to type on, short enough not to be noticed. */
const PAUSE_MS = 150

type Props = { text: string; label: string; placeholder: string; onSearch: (text: string) => void }

export function SearchBox({ text, label, placeholder, onSearch }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef(0)
  const [typed, setTyped] = useState(text)
  const [former, setFormer] = useState(text)
  useShortcut('/', () => input.current?.focus())
  useEffect(() => () => window.clearTimeout(timer.current), [])
  if (text !== former) {
    setFormer(text)
    // A link led out of the search.
    if (!text) setTyped('')
  }

  function onChange(value: string) {
    setTyped(value)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => onSearch(value.trim()), PAUSE_MS)
  }

  return (
    <div role="search" className="relative min-w-0 flex-1 basis-64">
      <SearchIcon aria-hidden className="absolute top-3.5 left-3 size-4 text-muted-foreground" />
      <Input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={typed}
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        className="pl-9"
      />
    </div>
  )
}
