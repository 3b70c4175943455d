/** How one person wants the contact list: its columns in their order, and its density; kept in this browser. */
import { useState } from 'react'

import { contactListKey } from '@/lib/personal-keys'
import { local } from '@/lib/storage'
import { useMedia } from '@/lib/use-media'
import { z } from '@/lib/zod'

export const columnIds = [
  'company',
  'owed',
  'last',
  'phone',
  'email',
  'city',
  'tags',
  'task',
  'touch',
  'consents',
  'origin',
] as const
export type ColumnId = (typeof columnIds)[number]
export type Density = 'compact' | 'comfortable'

const schema = z.object({
  columns: z.array(z.enum(columnIds)).catch([...columnIds]),
  density: z.enum(['compact', 'comfortable']).optional().catch(undefined),
})
type Kept = z.infer<typeof schema>

function kept(userId: string): Kept {
  try {
    return schema.parse(JSON.parse(local.getItem(contactListKey(userId)) ?? '{}'))
  } catch {
    return schema.parse({})
  }
}

export type ListSettings = { columns: readonly ColumnId[]; density: Density }

/** Compact is the rule where there is a mouse. */
export function useListSettings(userId: string) {
  const [settings, setSettings] = useState(() => kept(userId))
  const isCoarse = useMedia('(pointer: coarse)')

  function change(part: Partial<ListSettings>) {
    const next = { ...settings, ...part, columns: [...(part.columns ?? settings.columns)] }
    local.setItem(contactListKey(userId), JSON.stringify(next))
    setSettings(next)
  }

  const density: Density = settings.density ?? (isCoarse ? 'comfortable' : 'compact')
  return { settings: { columns: settings.columns, density } satisfies ListSettings, change }
}
