import { MonitorIcon, MoonIcon, SunIcon } from 'lucide-react'

import { cn } from '@/lib/cn'
import { setTheme, themes, useTheme } from '@/lib/theme'
import { themeLabels } from '@/strings/labels'

const icons = { light: SunIcon, dark: MoonIcon, system: MonitorIcon }

/** Three radio cards: light, dark, as the system. */
export function ThemeChoice() {
  const current = useTheme()
  return (
    <fieldset className="grid gap-2 sm:grid-cols-3">
      <legend className="sr-only">Tema</legend>
      {themes.map((theme) => {
        const Icon = icons[theme]
        return (
          <label
            key={theme}
            className={cn(
              'flex min-h-11 cursor-pointer items-center gap-2.5 rounded-md border px-4 py-3 text-sm font-medium transition-colors hover:bg-muted has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
              theme === current && 'border-primary bg-secondary text-secondary-foreground hover:bg-secondary',
            )}
          >
            <input
              type="radio"
              name="theme"
              value={theme}
              checked={theme === current}
              onChange={() => setTheme(theme)}
              className="sr-only"
            />
            <Icon aria-hidden className="size-[18px]" />
            {themeLabels[theme]}
          </label>
        )
      })}
    </fieldset>
  )
}
