import { Link } from 'react-router'

import { paths } from '@/paths'

/** In place of a choice among WhatsApp templates when Meta has approved none. */
export function NoTemplates() {
  return (
    <p className="text-sm text-muted-foreground">
      Non hai modelli approvati.{' '}
      <Link className="underline" to={paths.settingsChannels}>
        Proponine uno
      </Link>
    </p>
  )
}
