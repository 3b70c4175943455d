import { FileTextIcon } from 'lucide-react'

import { EmptyState } from '@/components/empty-state'
import type { WholeDocument } from '@/data/document'
import { isBusy } from '@/data/documents'

/** In the place of the pages of what has none to show. */
export function NoPages({ document: { mime, state } }: { document: WholeDocument }) {
  const isArchive = mime === 'application/zip'
  const text = isArchive
    ? 'È un archivio: i documenti che contiene sono tra gli allegati.'
    : isBusy(state)
      ? 'Le pagine arrivano con la lettura.'
      : 'Questo file non ha pagine da mostrare: scaricalo per aprirlo con il suo programma.'
  return <EmptyState icon={FileTextIcon} title="Nessuna anteprima" text={text} />
}
