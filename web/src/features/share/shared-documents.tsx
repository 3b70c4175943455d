import { useQueryClient } from '@tanstack/react-query'
import { FileQuestionIcon, FileTextIcon } from 'lucide-react'
import { useNavigate } from 'react-router'

import { PieceRow } from '@/features/share/piece-row'
import { Button } from '@/components/ui/button'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import { reloadDocuments } from '@/data/documents'
import { addUploads, useUploads } from '@/data/uploads'
import type { SharedFile } from '@/features/share/share-page'
import { paths } from '@/paths'
import { formatBytes } from '@/strings/files'

type Props = {
  userId: string
  pieces: SharedFile[]
  /** Files that no document can be made of. */
  unknown: SharedFile[]
  onUploaded: (id: string) => Promise<void>
  onRefuse: (id: string) => void
}

/** The upload of each piece that is on its way. */
const uploadIds = new Map<string, string>()

/** Papers and pictures. A piece is dropped once its file has arrived: until then a reload finds it again. */
export function SharedDocuments({ userId, pieces, unknown, onUploaded, onRefuse }: Props) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const uploads = useUploads()
  const isUnderWay = (id: string) => uploads.some((item) => item.id === uploadIds.get(id))
  const waiting = pieces.filter(({ id }) => !isUnderWay(id))

  function upload() {
    for (const { id, file } of waiting) {
      const [uploadId = ''] = addUploads({
        userId,
        files: [file],
        onArrival: async () => {
          await onUploaded(id)
          await reloadDocuments(client, userId)
        },
      })
      uploadIds.set(id, uploadId)
    }
    void navigate(paths.documents)
  }

  return (
    <Card>
      <CardHeader>
        <CardTitle>Documenti</CardTitle>
        <CardDescription>Li leggiamo e li trovi fra i tuoi documenti.</CardDescription>
      </CardHeader>
      <ul aria-label="Documenti condivisi" className="divide-y">
        {pieces.map(({ id, file }) => (
          <PieceRow
            key={id}
            icon={FileTextIcon}
            file={file}
            note={isUnderWay(id) ? 'In caricamento' : formatBytes(file.size)}
            onRefuse={() => onRefuse(id)}
          />
        ))}
        {unknown.map(({ id, file }) => (
          <PieceRow
            key={id}
            icon={FileQuestionIcon}
            file={file}
            note="Socio non legge file di questo tipo."
            onRefuse={() => onRefuse(id)}
          />
        ))}
      </ul>
      {waiting.length > 0 && (
        <Button className="sm:self-start" onClick={upload}>
          Carica nei documenti
        </Button>
      )}
    </Card>
  )
}
