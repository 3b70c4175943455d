/** A picture of the profile: choose, see it as it will be, save; or take it away. */
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'

import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { type PictureColumn, useChangePicture } from '@/data/avatars'
import type { Profile } from '@/data/profiles'
import { NoPicture } from '@/lib/square-picture'

type Chosen = { file: File; preview: string }

type Props = {
  profile: Profile
  column: PictureColumn
  /** What it is called: «la foto», «il logo». */
  words: { field: string; add: string; change: string; save: string; saved: string; removed: string; failed: string }
  /** The picture that is kept. */
  shown: ReactNode
  /** One that was chosen, before it is saved. */
  preview: ComponentType<{ source: string }>
}

export function PictureChoice({ profile, column, words, shown, preview: Preview }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const change = useChangePicture(profile, column)

  useEffect(() => () => (chosen ? URL.revokeObjectURL(chosen.preview) : undefined), [chosen])

  async function save(file: File | null) {
    try {
      await change.mutateAsync(file)
      toast.success(file ? words.saved : words.removed)
      setChosen(null)
    } catch (error) {
      toast.error(
        error instanceof NoPicture
          ? 'Non riusciamo ad aprire questa immagine: salvala come JPG o PNG e riprova'
          : words.failed,
      )
    }
  }

  return (
    <div className="flex flex-wrap items-center gap-4">
      {chosen ? <Preview source={chosen.preview} /> : shown}
      <input
        ref={field}
        type="file"
        accept="image/*"
        aria-label={words.field}
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) setChosen({ file, preview: URL.createObjectURL(file) })
          event.target.value = ''
        }}
      />
      {chosen ? (
        <div className="flex flex-wrap gap-2">
          <Button disabled={change.isPending} onClick={() => void save(chosen.file)}>
            {change.isPending && <Spinner aria-hidden />}
            {words.save}
          </Button>
          <Button variant="outline" disabled={change.isPending} onClick={() => setChosen(null)}>
            Annulla
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" onClick={() => field.current?.click()}>
            {profile[column] ? words.change : words.add}
          </Button>
          {profile[column] && (
            <Button variant="ghost" disabled={change.isPending} onClick={() => void save(null)}>
              Togli
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
