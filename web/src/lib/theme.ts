/** Light, dark or as the system: kept under `theme` in local storage, applied as a class on <html>. */
import { useSyncExternalStore } from 'react'

import { local } from '@/lib/storage'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const KEY = 'theme'
const GROUND = { light: '#FAF8F3', dark: '#161512' }
// Prerendering has no browser to ask.
const systemDark = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function readTheme(): Theme {
  const stored = local.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(): void {
  const theme = readTheme()
  const dark = theme === 'dark' || (theme === 'system' && systemDark().matches)
  document.documentElement.classList.toggle('dark', dark)
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', dark ? GROUND.dark : GROUND.light)
  for (const listener of listeners) listener()
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') local.removeItem(KEY)
  else local.setItem(KEY, theme)
  apply()
}

/** Follows the system and the other tabs from now on. */
export function watchTheme(): void {
  systemDark().addEventListener('change', apply)
  window.addEventListener('storage', (event) => {
    if (event.key === KEY || event.key === null) apply()
  })
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme, () => 'system')
}

const isDark = (): boolean => document.documentElement.classList.contains('dark')

/** The theme on screen, with `system` resolved. */
export function useResolvedTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, isDark, () => false) ? 'dark' : 'light'
}
