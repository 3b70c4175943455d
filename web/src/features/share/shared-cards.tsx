import { ContactRoundIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { PieceRow } from '@/features/share/piece-row'
import type { SharedFile } from '@/features/share/share-page'
import { paths } from '@/paths'

type Props = { pieces: SharedFile[]; onRefuse: (id: string) => void }

/** Address books: each goes through the import, where it is looked at before anything is written. */
export function SharedCards({ pieces, onRefuse }: Props) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Contatti</CardTitle>
        <CardDescription>Prima di importarli vedi come li leggiamo, e dopo puoi annullare tutto.</CardDescription>
      </CardHeader>
      <ul aria-label="Contatti condivisi" className="divide-y">
        {pieces.map(({ id, file }) => (
          <PieceRow key={id} icon={ContactRoundIcon} file={file} onRefuse={() => onRefuse(id)}>
            <Button asChild>
              <Link to={paths.crmImportShared(id)}>Importa nei contatti</Link>
            </Button>
          </PieceRow>
        ))}
      </ul>
    </Card>
  )
}
