import { useState } from 'react'

import { type Language, languages, readLanguage, setLanguage } from '@/lib/language'

const names: Record<Language, string> = { it: 'Italiano' }

/** A native list, so that it grows with the languages. */
export function LanguageChoice() {
  const [current, setCurrent] = useState(readLanguage)

  function choose(language: Language) {
    setLanguage(language)
    setCurrent(language)
  }

  return (
    <label className="grid gap-1.5 text-sm font-medium">
      Lingua
      <select
        value={current}
        onChange={(event) => choose(event.target.value as Language)}
        className="h-11 max-w-xs rounded-md border border-input bg-card px-3 text-base font-normal"
      >
        {languages.map((language) => (
          <option key={language} value={language}>
            {names[language]}
          </option>
        ))}
      </select>
    </label>
  )
}
