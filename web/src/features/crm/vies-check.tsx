/** «Verifica nel VIES»: asks on demand, shows the answer with its date, and says what a no means. */
import { BadgeCheckIcon, CircleSlashIcon } from 'lucide-react'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { WholeContact } from '@/data/contacts'
import { useVatCheck, viesAnswer } from '@/data/vat-check'
import { FunctionError } from '@/lib/server-errors'
import { shortDate } from '@/strings/dates'

export function ViesCheck({ contact }: { contact: WholeContact }) {
  const check = useVatCheck(contact.id)
  const answer = viesAnswer(contact)
  if (!contact.vat_number) return null
  return (
    <div className="flex min-w-0 items-baseline gap-2">
      <dt className="w-28 shrink-0 text-muted-foreground">VIES</dt>
      <dd className="grid min-w-0 flex-1 justify-items-start gap-1" aria-live="polite">
        {answer && (
          <p className="flex items-start gap-1.5">
            {answer.registered ? (
              <BadgeCheckIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-success" />
            ) : (
              <CircleSlashIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
            )}
            <span className="min-w-0 break-words">
              {answer.registered ? 'Iscritta al VIES' : 'Non risulta nel VIES'} il {shortDate(answer.checkedAt)}
              {answer.name && <span className="block text-muted-foreground">{answer.name}</span>}
              {!answer.registered && (
                <span className="block text-muted-foreground">
                  Può essere attiva in Italia: nel VIES sta solo chi opera con altri paesi UE.
                </span>
              )}
            </span>
          </p>
        )}
        {check.isError && (
          <p role="alert" className="text-destructive">
            {check.error instanceof FunctionError
              ? check.error.message
              : 'Non riusciamo a chiedere al VIES: controlla la connessione e riprova'}
          </p>
        )}
        <Button
          variant="link"
          size="sm"
          className="min-h-11 px-0"
          disabled={check.isPending}
          onClick={() => check.mutate()}
        >
          {check.isPending && <Spinner aria-hidden />}
          {answer ? 'Verifica di nuovo nel VIES' : 'Verifica nel VIES'}
        </Button>
      </dd>
    </div>
  )
}
