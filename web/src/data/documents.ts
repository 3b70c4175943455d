/** The stored documents of the caller: objects of the bucket `documents` in the folder named after their id. */
import { infiniteQueryOptions, type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'

import { stored } from '@/data/storage'
import { currentUser } from '@/data/session'
import { keyOf, nameOf, tidyName } from '@/lib/object-names'
import { supabase } from '@/lib/supabase'

export type StoredDocument = { id: string; name: string; size: number; createdAt: string }

export const DOCUMENTS = 'documents'
const KEY = ['documents'] as const
const PAGE_SIZE = 100
const LINK_LIFE_S = 60

const bucket = () => supabase.storage.from(DOCUMENTS)

/** Where a document of this name lies. */
export const pathOf = (userId: string, name: string): string => `${userId}/${keyOf(name)}`

async function fetchPage(userId: string, offset: number): Promise<StoredDocument[]> {
  await currentUser()
  const objects = stored(
    await bucket().list(userId, { limit: PAGE_SIZE, offset, sortBy: { column: 'created_at', order: 'desc' } }),
  )
  // A folder has no id.
  return objects
    .filter((object) => object.id)
    .map(({ id, name, created_at, metadata }) => ({
      id: id ?? '',
      name: nameOf(name),
      size: (metadata?.size as number | undefined) ?? 0,
      createdAt: created_at ?? '',
    }))
}

/** Newest first, a hundred at a time. */
export function documentsQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: [...KEY, userId],
    queryFn: ({ pageParam }) => fetchPage(userId, pageParam),
    initialPageParam: 0,
    getNextPageParam: (last: StoredDocument[], pages: StoredDocument[][]) =>
      last.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE,
    select: (data) => data.pages.flat(),
  })
}

/** An address that saves the document under its own name; good for a minute. */
export async function downloadLink(userId: string, name: string): Promise<string> {
  const { signedUrl } = stored(await bucket().createSignedUrl(pathOf(userId, name), LINK_LIFE_S))
  // Not by the option `download`: storage-js encodes its value twice, and «è» would arrive as «%C3%A8».
  return `${signedUrl}&download=${encodeURIComponent(name)}`
}

type Renaming = { document: StoredDocument; name: string }

/** @throws StorageFailure with status 409 when the name is taken. */
export function useRenameDocument(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ document, name }: Renaming) => {
      stored(await bucket().move(pathOf(userId, document.name), pathOf(userId, tidyName(name))))
    },
    onSuccess: (_data, { document, name }) =>
      client.setQueryData<InfiniteData<StoredDocument[], number>>(
        [...KEY, userId],
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) =>
              page.map((one) => (one.id === document.id ? { ...one, name: tidyName(name) } : one)),
            ),
          },
      ),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}

/** @throws StorageFailure */
export async function deleteDocument(userId: string, name: string): Promise<void> {
  stored(await bucket().remove([pathOf(userId, name)]))
}
