/** How money gets onto the page, for whoever has issued no invoice yet. */
import { ReceiptTextIcon } from 'lucide-react'
import { Link } from 'react-router'

import { EmptyState } from '@/components/empty-state'
import { Button } from '@/components/ui/button'
import { paths } from '@/paths'

export function InvoicesHint() {
  return (
    <EmptyState
      icon={ReceiptTextIcon}
      title="Ancora nessuna fattura emessa"
      text="Carica le fatture che hai emesso: se nei dati fiscali c’è la tua partita IVA, Socio le riconosce e qui vedi che cosa è entrato, che cosa manca e quando è previsto."
    >
      <Button variant="outline" asChild>
        <Link to={paths.documents}>Carica una fattura</Link>
      </Button>
    </EmptyState>
  )
}
