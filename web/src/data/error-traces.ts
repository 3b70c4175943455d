/** Where in the code an error of a group came from: the built script, and what it was written as. */
import { queryOptions } from '@tanstack/react-query'

import { read } from '@/data/functions'
import { unwrap } from '@/data/postgrest'
import { FunctionError } from '@/lib/server-errors'
import type { EncodedSourceMap, SourcePlace } from '@/lib/source-map'
import { supabase } from '@/lib/supabase'

type Frame = {
  /** A script of the client, or a file of the server. */
  file: string
  line: number
  /** Null for the server. */
  column: number | null
  name: string
}
export type ErrorFrame = Frame & {
  /** Null: there is no map of this script, or it does not know the place. */
  source: SourcePlace | null
}
type Trace<Part> = {
  at: string
  release: string | null
  viewport: string | null
  browser: string | null
  stack: Part[]
  components: Part[]
}
export type ErrorTrace = Trace<ErrorFrame>

/** The newest error of a group; null when none is kept any more. */
export function errorTraceQuery(groupId: number) {
  return queryOptions({
    queryKey: ['admin', 'error_trace', groupId],
    queryFn: async (): Promise<ErrorTrace | null> => {
      const trace = unwrap(await supabase.rpc('admin_error_trace', { _id: groupId })) as unknown as Trace<Frame> | null
      if (!trace) return null
      const scripts = new Set(
        [...trace.stack, ...trace.components].flatMap(({ file, column }) => (column ? [file] : [])),
      )
      const { placesIn } = await import('@/lib/source-map')
      const finders = new Map(
        await Promise.all(
          Array.from(scripts, async (file) => {
            const map = await sourceMap(file)
            return [file, map && placesIn(map)] as const
          }),
        ),
      )
      const found = (frames: Frame[]) =>
        frames.map((frame) => ({ ...frame, source: finders.get(frame.file)?.(frame.line, frame.column ?? 0) ?? null }))
      return { ...trace, stack: found(trace.stack), components: found(trace.components) }
    },
  })
}

async function sourceMap(file: string): Promise<EncodedSourceMap | null> {
  try {
    return await read<EncodedSourceMap>(`source_map?${new URLSearchParams({ file }).toString()}`)
  } catch (error) {
    if (error instanceof FunctionError && error.status === 404) return null
    throw error
  }
}
