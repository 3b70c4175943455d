import type { ComponentProps } from 'react'

import { askForConsent } from '@/lib/consent'

/** Opens the cookie banner again; looks like what `className` makes of it (a footer link, a row of the settings). */
export function CookiePreferences(props: Omit<ComponentProps<'button'>, 'onClick' | 'children'>) {
  return (
    <button type="button" {...props} onClick={askForConsent}>
      Preferenze cookie
    </button>
  )
}
