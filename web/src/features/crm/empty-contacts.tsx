/** An address book without anybody in it yet. */
import { PlusIcon, UploadIcon, UsersIcon } from 'lucide-react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { EmptyState } from '@/components/empty-state'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import type { ContactType } from '@/data/contacts'
import { useDemoData } from '@/data/demo-data'
import { paths } from '@/paths'

type Props = { type: ContactType; onAdd: () => void }

export function EmptyContacts({ type, onAdd }: Props) {
  const isCompany = type === 'azienda'
  const demo = useDemoData(() => toast.error('Non siamo riusciti ad aggiungere gli esempi: riprova'))
  return (
    <EmptyState
      icon={UsersIcon}
      title={isCompany ? 'Ancora nessuna azienda' : 'Ancora nessun contatto'}
      text="Chi sono, che cosa vi siete detti, quando risentirli: tutto in un posto, e lo vedi solo tu."
    >
      <div className="flex flex-wrap justify-center gap-2">
        <Button asChild>
          <Link to={paths.crmImport}>
            <UploadIcon aria-hidden /> Importa i tuoi contatti
          </Link>
        </Button>
        <Button variant="outline" onClick={onAdd}>
          <PlusIcon aria-hidden /> {isCompany ? 'Aggiungi la prima azienda' : 'Aggiungi il primo contatto'}
        </Button>
      </div>
      <Button variant="ghost" size="sm" disabled={demo.isPending} onClick={() => demo.mutate(true)}>
        {demo.isPending && <Spinner aria-hidden />}
        Prova con dati di esempio
      </Button>
    </EmptyState>
  )
}
