import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import { Spinner } from '@/components/ui/spinner'

type Props = {
  no: number
  picture: UseQueryOptions<Blob>
  onShape: (no: number, ratio: number) => void
}

/** A page that is one picture: a photograph itself, or what the server makes of a format that browsers do not know. */
export function PicturePage({ no, picture, onShape }: Props) {
  const { data, isError, refetch } = useQuery(picture)
  const image = useRef<HTMLImageElement>(null)

  useEffect(() => {
    if (!data || !image.current) return undefined
    const url = URL.createObjectURL(data)
    image.current.src = url
    return () => URL.revokeObjectURL(url)
  }, [data])

  if (isError)
    return (
      <p className="absolute inset-x-4 top-4 text-sm text-[#1c1b17]">
        Non riusciamo a mostrare questa pagina.{' '}
        <button className="font-medium underline" onClick={() => void refetch()}>
          Riprova
        </button>
      </p>
    )
  if (!data) return <Spinner className="absolute top-1/2 left-1/2 size-6 text-[#6b675e]" />
  return (
    <img
      ref={image}
      alt={`Pagina ${no}`}
      className="block size-full"
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => onShape(no, naturalHeight / naturalWidth)}
    />
  )
}
