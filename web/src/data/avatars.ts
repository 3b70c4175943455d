/**
 * The pictures of a profile: objects of the private bucket `avatars`, named in profiles.avatar_url and logo_url by their
 * path on the server. Nobody but its owner can fetch it, so it comes with the token and is shown from memory.
 */
import { queryOptions, useMutation } from '@tanstack/react-query'

import { type Profile, useUpdateProfile } from '@/data/profiles'
import { stored } from '@/data/storage'
import { squarePicture, wholePicture } from '@/lib/square-picture'
import { supabase } from '@/lib/supabase'

const AVATARS = 'avatars'
const PREFIX = `/storage/v1/object/authenticated/${AVATARS}/`
/** Twice the largest size on screen. */
const SHOWN_PX = 160

const bucket = () => supabase.storage.from(AVATARS)
const pathIn = (address: string | null): string | null =>
  address?.startsWith(PREFIX) ? address.slice(PREFIX.length) : null

async function fetchAvatar(address: string): Promise<string> {
  const path = pathIn(address)
  if (!path) return address
  const small = await bucket().download(path, { transform: { width: SHOWN_PX, height: SHOWN_PX, resize: 'cover' } })
  // A server without image transformation gives the picture as it is, which is small enough.
  return URL.createObjectURL(small.data ?? stored(await bucket().download(path)))
}

/** What an image element can show of `address`. Every picture has its own address, so it never grows old. */
export function avatarQuery(address: string | null | undefined) {
  return queryOptions({
    queryKey: ['avatars', address],
    queryFn: () => fetchAvatar(address ?? ''),
    enabled: Boolean(address),
    staleTime: Infinity,
    gcTime: Infinity,
  })
}

/** What an image element can show of a logo, whole. */
export function logoQuery(address: string | null) {
  return queryOptions({
    queryKey: ['avatars', 'logo', address],
    queryFn: async () => {
      const path = pathIn(address)
      if (!path) throw new Error('no logo of ours')
      return URL.createObjectURL(stored(await bucket().download(path)))
    },
    enabled: Boolean(address),
    staleTime: Infinity,
    gcTime: Infinity,
  })
}

export type PictureColumn = 'avatar_url' | 'logo_url'

/** Saves `file` as a picture of `profile`, or takes the picture away. @throws NoPicture, StorageFailure, DataError */
export function useChangePicture(profile: Profile, column: PictureColumn) {
  const update = useUpdateProfile()
  return useMutation({
    mutationFn: async (file: File | null) => {
      const before = pathIn(profile[column])
      const picture = file && (await (column === 'logo_url' ? wholePicture : squarePicture)(file))
      await update.mutateAsync({ [column]: picture && PREFIX + (await upload(profile.user_id, picture)) })
      // The new one is in place: what is left of the old one is only worth a try.
      if (before) await bucket().remove([before])
    },
  })
}

async function upload(userId: string, picture: Blob): Promise<string> {
  const path = `${userId}/${crypto.randomUUID()}.${picture.type.split('/')[1] ?? 'png'}`
  stored(await bucket().upload(path, picture, { contentType: picture.type, cacheControl: '31536000' }))
  return path
}
