import { useQuery } from '@tanstack/react-query'

import { Avatar, AvatarFallback, AvatarImage } from '@/components/ui/avatar'
import { avatarQuery } from '@/data/avatars'
import { initials } from '@/lib/initials'

type Props = { name: string | null | undefined; imageUrl: string | null | undefined; className?: string }

/** The profile image, else up to two initials, else '?' (LAYOUT-05). */
export function UserAvatar({ name, imageUrl, className }: Props) {
  const { data: source } = useQuery(avatarQuery(imageUrl))
  return (
    <Avatar {...(className ? { className } : {})}>
      {imageUrl && source && <AvatarImage src={source} alt="" />}
      <AvatarFallback>{initials(name)}</AvatarFallback>
    </Avatar>
  )
}
