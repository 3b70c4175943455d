import { MoonIcon, SunIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import { setTheme, useResolvedTheme } from '@/lib/theme'

/** One button between light and dark, for people without an account menu. */
export function ThemeToggle() {
  const dark = useResolvedTheme() === 'dark'
  const label = dark ? 'Passa al tema chiaro' : 'Passa al tema scuro'
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={label}
      title={label}
      onClick={() => setTheme(dark ? 'light' : 'dark')}
    >
      {dark ? <SunIcon aria-hidden /> : <MoonIcon aria-hidden />}
    </Button>
  )
}
