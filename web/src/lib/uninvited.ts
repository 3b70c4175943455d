/** Parts of a page that come by themselves: nobody asked for them, so nobody misses them. */
import { type ComponentType, lazy } from 'react'

/** As `lazy`; when the chunk cannot be had, nothing comes and the page stays as it is. */
export function uninvited<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() => load().catch(() => ({ default: (_props: Props) => null })))
}
