import { PauseIcon } from 'lucide-react'
import { Link } from 'react-router'

import { paths } from '@/paths'

/** One calm line on every page while the processing of the person's data is limited. */
export function LimitNotice() {
  return (
    <div role="status" className="border-b bg-warning-tint">
      <p className="column flex items-center gap-2.5 py-2 text-sm">
        <PauseIcon aria-hidden className="size-4 shrink-0" />
        <span>
          Trattamento limitato: Socio non fa niente con i tuoi dati.{' '}
          <Link to={paths.settingsPrivacy} className="underline underline-offset-2">
            Togli il limite
          </Link>
        </span>
      </p>
    </div>
  )
}
