/** /condividi: what another application has shared, and what to make of each piece. It waits here until it is used. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ShareIcon } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { toast } from 'sonner'

import { LoadError } from '@/components/load-error'
import { EmptyState } from '@/components/empty-state'
import { PageTitle } from '@/components/page-title'
import { Skeleton } from '@/components/ui/skeleton'
import { useUser } from '@/data/auth-context'
import { SharedCards } from '@/features/share/shared-cards'
import { SharedDocuments } from '@/features/share/shared-documents'
import { SharedText } from '@/features/share/shared-text'
import { mimeOf } from '@/lib/document-types'
import { dropShared, type SharedPiece, sharedPieces } from '@/lib/shared-pieces'

export type SharedFile = Extract<SharedPiece, { kind: 'file' }>

const QUERY_KEY = ['shared-pieces'] as const

const isCard = ({ file }: SharedFile): boolean => /\.(?:vcf|vcard)$/i.test(file.name) || /vcard/.test(file.type)

export default function SharePage() {
  const { id: userId } = useUser()
  const client = useQueryClient()
  const [params] = useSearchParams()
  const { data, isPending, refetch } = useQuery({ queryKey: QUERY_KEY, queryFn: sharedPieces, staleTime: 0 })
  const files = data?.filter((piece) => piece.kind === 'file') ?? []
  const cards = files.filter(isCard)
  const rest = files.filter((piece) => !isCard(piece))

  async function drop(id: string) {
    await dropShared(id)
    await client.invalidateQueries({ queryKey: QUERY_KEY })
  }

  function refuse(id: string) {
    void drop(id).then(() => toast.success('Scartato'))
  }

  return (
    <div className="column grid max-w-3xl gap-6 py-6 sm:py-8">
      <PageTitle>Condiviso con Socio</PageTitle>
      <h1 className="text-2xl font-semibold">Condiviso con Socio</h1>
      {params.has('esito') && (
        <p role="alert" className="rounded-md bg-error-tint px-4 py-3 text-sm">
          Non siamo riusciti a prendere quello che hai condiviso: il dispositivo potrebbe essere pieno. Fai spazio e
          condividilo di nuovo.
        </p>
      )}
      {isPending && <Skeleton aria-busy className="h-48" />}
      {!isPending && !data && (
        <LoadError text="Non riusciamo a leggere quello che hai condiviso." onRetry={() => void refetch()} />
      )}
      {data?.length === 0 && (
        <EmptyState
          icon={ShareIcon}
          title="Niente in attesa"
          text="Da un’altra app tocca Condividi e scegli Socio: PDF, foto, contatti, testi e link arrivano qui."
        />
      )}
      {data
        ?.filter((piece) => piece.kind === 'text')
        .map(({ id, text }) => (
          <SharedText
            key={id}
            userId={userId}
            id={id}
            text={text}
            onUsed={() => void drop(id)}
            onRefuse={() => refuse(id)}
          />
        ))}
      {cards.length > 0 && <SharedCards pieces={cards} onRefuse={refuse} />}
      {rest.length > 0 && (
        <SharedDocuments
          userId={userId}
          pieces={rest.filter(({ file }) => mimeOf(file.name))}
          unknown={rest.filter(({ file }) => !mimeOf(file.name))}
          onUploaded={drop}
          onRefuse={refuse}
        />
      )}
    </div>
  )
}
