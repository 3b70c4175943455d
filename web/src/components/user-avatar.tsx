import { Avatar, AvatarFallback, AvatarImage } from '@/components/ui/avatar'
import { initials } from '@/lib/initials'

type Props = { name: string | null | undefined; imageUrl: string | null | undefined; className?: string }

/** The profile image, else up to two initials, else '?' (spec section 2). */
export function UserAvatar({ name, imageUrl, className }: Props) {
  return (
    <Avatar {...(className ? { className } : {})}>
      {imageUrl && <AvatarImage src={imageUrl} alt="" />}
      <AvatarFallback>{initials(name)}</AvatarFallback>
    </Avatar>
  )
}
