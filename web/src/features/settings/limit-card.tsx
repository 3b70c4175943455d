import { toast } from 'sonner'

import { tellFailure } from '@/components/save-failure'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { Spinner } from '@/components/ui/spinner'
import { useAuth, useUser } from '@/data/auth-context'
import { useLimitProcessing } from '@/data/privacy'
import { fullDate } from '@/strings/dates'

/** «Limita il trattamento»: the data stay, nothing is done with them, until the person ends it. */
export function LimitCard() {
  const { id: userId } = useUser()
  const since = useAuth().profile?.limited_since ?? null
  const limit = useLimitProcessing(userId)

  function change(): void {
    limit.mutate(since === null, {
      onSuccess: () => toast.success(since === null ? 'Trattamento limitato' : 'Limite tolto'),
      onError: tellFailure,
    })
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Limita il trattamento</CardTitle>
        <CardDescription>
          {since === null
            ? 'I tuoi dati restano dove sono, ma Socio non ci fa niente: niente assistente, agenti, suggerimenti, riepiloghi e avvisi; le email e i messaggi aspettano, la casella non viene letta. Tu continui a vedere e modificare tutto.'
            : `Limitato dal ${fullDate(since)}: Socio non fa niente con i tuoi dati. Le email e i messaggi aspettano.`}
        </CardDescription>
      </CardHeader>
      <Button
        variant={since === null ? 'outline' : 'default'}
        className="self-start"
        disabled={limit.isPending}
        onClick={change}
      >
        {limit.isPending && <Spinner aria-hidden />}
        {since === null ? 'Limita' : 'Togli il limite'}
      </Button>
    </Card>
  )
}
