/** The file of a message: a picture, a player, or its name; and why it is not there. */
import { useQuery } from '@tanstack/react-query'
import { FileIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/skeleton'
import { originalQuery, playedQuery } from '@/data/document'
import { downloadLink } from '@/data/documents'
import { useFetchWhatsappFile, type WhatsappMessage } from '@/data/whatsapp'
import { FunctionError } from '@/lib/server-errors'
import { paths } from '@/paths'
import { mediaProblems, minutesAndSeconds } from '@/strings/whatsapp'

type Props = { userId: string; message: WhatsappMessage }
type Told = { media?: { name?: string | null; mime?: string | null } }

export function WhatsappMedia({ userId, message }: Props) {
  const { media_state: state, documents: document, storage_path: stored, kind } = message
  const media = (message.content as Told).media
  const name = media?.name ?? message.summary
  const path = stored ?? (document?.deleted_at ? null : (document?.storage_path ?? null))
  if (state && state !== 'pronto') return <Missing userId={userId} message={message} path={path} name={name} />
  const isPicture = kind === 'image' || kind === 'sticker'
  return (
    <div className="grid gap-1">
      {path && isPicture && <Picture path={path} name={message.summary} />}
      {path && kind === 'audio' && <Sound path={path} name={message.summary} length={message.voice_s} />}
      {path && kind === 'video' && <Film path={path} name={message.summary} />}
      {!(path && isPicture) && <FileName message={message} path={path} name={name} />}
      {document && path && isPicture && (
        <Link className="underline" to={paths.document(message.document_id ?? '')}>
          Apri il documento
        </Link>
      )}
    </div>
  )
}

function FileName({ message, path, name }: { message: WhatsappMessage; path: string | null; name: string }) {
  const isGone = !path && !message.invoice_id
  return (
    <p className="flex min-w-0 items-center gap-2">
      <FileIcon aria-hidden className="size-4 shrink-0" />
      {path && message.document_id ? (
        <Link className="min-w-0 break-words underline" to={paths.document(message.document_id)}>
          {name}
        </Link>
      ) : (
        <span className="min-w-0 break-words">
          {name}
          {isGone && ' (eliminato)'}
        </span>
      )}
      {path && !message.document_id && <Download path={path} name={name} />}
    </p>
  )
}

function Download({ path, name }: { path: string; name: string }) {
  // Voice notes have no name of their own, and so no ending.
  const ending = /\.\w+$/.exec(path)?.[0] ?? ''

  async function onSave() {
    try {
      const filename = name.endsWith(ending) ? name : name + ending
      window.location.assign(await downloadLink({ storage_path: path, filename }))
    } catch {
      toast.error('Non siamo riusciti a scaricare: riprova')
    }
  }
  return (
    <Button variant="ghost" size="sm" onClick={() => void onSave()}>
      Scarica<span className="sr-only"> {name}</span>
    </Button>
  )
}

function Missing({ userId, message, path, name }: Props & { path: string | null; name: string }) {
  const fetchAgain = useFetchWhatsappFile(userId)
  const { id, media_state: state } = message
  if (!state || state === 'pronto') return null

  async function onRetry() {
    try {
      await fetchAgain.mutateAsync(id)
    } catch (failure) {
      toast.error(failure instanceof FunctionError ? failure.message : 'Non siamo riusciti: riprova')
    }
  }

  return (
    <div className="grid justify-items-start gap-1">
      <p className="font-medium break-words">{name}</p>
      <p className="break-words text-muted-foreground">{mediaProblems[state]}</p>
      {state === 'illeggibile' && path && <Download path={path} name={name} />}
      {state !== 'attesa' && state !== 'illeggibile' && (
        <Button variant="outline" size="sm" disabled={fetchAgain.isPending} onClick={() => void onRetry()}>
          Riprova
        </Button>
      )}
    </div>
  )
}

type Shown = { path: string; name: string }

function Picture({ path, name }: Shown) {
  const { data, isError } = useQuery(originalQuery({ storage_path: path }))
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    if (!data || !image.current) return undefined
    const url = URL.createObjectURL(data)
    image.current.src = url
    return () => URL.revokeObjectURL(url)
  }, [data])
  if (isError) return <p className="text-muted-foreground">Non riusciamo a mostrare la foto.</p>
  if (!data) return <Skeleton aria-busy className="h-40 w-56 max-w-full" />
  return <img ref={image} alt={name} className="max-h-64 max-w-full rounded-md" />
}

function Sound({ path, name, length }: Shown & { length: number | null }) {
  const { data } = useQuery(playedQuery(path))
  return (
    <span className="flex max-w-full items-center gap-2">
      {/* Its subtitles are the transcript below. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <audio controls preload="none" aria-label={name} src={data} className="h-11 w-64 min-w-0" />
      {length !== null && (
        <span className="text-xs tabular">
          <span className="sr-only">Dura </span>
          {minutesAndSeconds(length)}
        </span>
      )}
    </span>
  )
}

function Film({ path, name }: Shown) {
  const { data } = useQuery(playedQuery(path))
  // oxlint-disable-next-line jsx-a11y/media-has-caption
  return <video controls preload="none" aria-label={name} src={data} className="max-h-64 max-w-full rounded-md" />
}
