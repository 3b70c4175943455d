import { Link } from 'react-router'

import { tellFailure } from '@/components/save-failure'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { useUser } from '@/data/auth-context'
import { useChoosePrivacy } from '@/data/privacy'
import { isSignalled, storeConsent, useConsent } from '@/lib/consent'
import { paths } from '@/paths'
import { privacyWordings } from '@/strings/privacy'

/** Where each kind of processing that is no part of the contract is switched off. */
export function ObjectionsCard() {
  const consent = useConsent()
  const choose = useChoosePrivacy(useUser().id)

  function change(isAllowed: boolean): void {
    // The browser holds to it at once; the account keeps when and by which words.
    storeConsent(isAllowed ? 'accepted' : 'rejected')
    choose.mutate(
      { purpose: 'statistics', is_allowed: isAllowed, wording: privacyWordings.statistics },
      { onError: tellFailure },
    )
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Opponiti</CardTitle>
        <CardDescription>Quello che non serve al contratto si spegne, e non devi dire perché.</CardDescription>
      </CardHeader>
      <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={consent === 'accepted'}
          onChange={({ target }) => change(target.checked)}
          className="size-5 accent-primary"
        />
        {privacyWordings.statistics}
      </label>
      {isSignalled() && (
        <p className="text-sm text-muted-foreground">
          Il tuo browser chiede di non essere seguito (GPC): finché non accetti qui, vale come un no.
        </p>
      )}
      <ul className="grid gap-1 text-sm">
        <li>
          <Link
            to={paths.settingsNotifications}
            className="inline-flex min-h-11 items-center underline underline-offset-2"
          >
            Email, notifiche e riepiloghi
          </Link>
        </li>
        <li>
          <Link to={paths.settingsMemory} className="inline-flex min-h-11 items-center underline underline-offset-2">
            Che cosa Socio ricorda di te
          </Link>
        </li>
      </ul>
    </Card>
  )
}
