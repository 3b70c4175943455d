/** The language of the interface, kept under `language` in local storage (LAYOUT-13). Italian is the only one yet. */
import { local } from '@/lib/storage'

export const languages = ['it'] as const
export type Language = (typeof languages)[number]

const KEY = 'language'

export function readLanguage(): Language {
  const stored = local.getItem(KEY)
  return languages.find((language) => language === stored) ?? 'it'
}

export function setLanguage(language: Language): void {
  local.setItem(KEY, language)
  document.documentElement.lang = language
}
