/** The picture of the profile: choose, see it cut to a circle, save; or take it away. */
import { useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'

import { Avatar, AvatarImage } from '@/components/ui/avatar'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/spinner'
import { UserAvatar } from '@/components/user-avatar'
import { useChangeAvatar } from '@/data/avatars'
import type { Profile } from '@/data/profiles'
import { NoPicture } from '@/lib/square-picture'

type Chosen = { file: File; preview: string }

export function AvatarChoice({ profile }: { profile: Profile }) {
  const field = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const change = useChangeAvatar(profile)

  useEffect(() => () => (chosen ? URL.revokeObjectURL(chosen.preview) : undefined), [chosen])

  async function save(file: File | null) {
    try {
      await change.mutateAsync(file)
      toast.success(file ? 'Foto salvata' : 'Foto tolta')
      setChosen(null)
    } catch (error) {
      toast.error(
        error instanceof NoPicture
          ? 'Non riusciamo ad aprire questa immagine: salvala come JPG o PNG e riprova'
          : 'Non siamo riusciti a salvare la foto: riprova',
      )
    }
  }

  return (
    <div className="flex flex-wrap items-center gap-4">
      {chosen ? (
        <Avatar className="size-20">
          <AvatarImage src={chosen.preview} alt="Anteprima della foto" />
        </Avatar>
      ) : (
        <UserAvatar name={profile.full_name} imageUrl={profile.avatar_url} className="size-20 text-2xl" />
      )}
      <input
        ref={field}
        type="file"
        accept="image/*"
        aria-label="Foto del profilo"
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
            Salva foto
          </Button>
          <Button variant="outline" disabled={change.isPending} onClick={() => setChosen(null)}>
            Annulla
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" onClick={() => field.current?.click()}>
            {profile.avatar_url ? 'Cambia foto' : 'Aggiungi una foto'}
          </Button>
          {profile.avatar_url && (
            <Button variant="ghost" disabled={change.isPending} onClick={() => void save(null)}>
              Togli
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
