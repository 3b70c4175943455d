import { ImageIcon } from 'lucide-react'

import { LogoImage } from '@/components/logo-image'
import { Card, CardDescription, CardHeader, CardTitle } from '@/components/ui/card'
import type { Profile } from '@/data/profiles'
import { PictureChoice } from '@/features/settings/picture-choice'

const words = {
  field: 'Immagine del logo',
  add: 'Aggiungi il logo',
  change: 'Cambia logo',
  save: 'Salva logo',
  saved: 'Logo salvato',
  removed: 'Logo tolto',
  failed: 'Non siamo riusciti a salvare il logo: riprova',
}

export function LogoCard({ profile }: { profile: Profile }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Logo</CardTitle>
        <CardDescription>In testa all’informativa IA che stampi per i clienti.</CardDescription>
      </CardHeader>
      <PictureChoice
        profile={profile}
        column="logo_url"
        words={words}
        shown={
          profile.logo_url ? (
            <LogoImage address={profile.logo_url} name={profile.business_name ?? profile.full_name ?? ''} />
          ) : (
            <span className="grid size-20 place-items-center rounded-md border border-dashed text-muted-foreground">
              <ImageIcon aria-hidden className="size-6" />
            </span>
          )
        }
        preview={Preview}
      />
    </Card>
  )
}

function Preview({ source }: { source: string }) {
  return <img src={source} alt="Anteprima del logo" className="max-h-20 max-w-60 object-contain" />
}
