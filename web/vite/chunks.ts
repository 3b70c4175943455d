/**
 * Which modules share a file. Left alone, each set of pages that shares a module (an icon, a label) gets a file of its
 * own: some hundred for one screen, and every file costs a request.
 */
import type { Rolldown } from 'vite'

type Group = Rolldown.CodeSplittingGroup
type Context = Parameters<Extract<Group['name'], CallableFunction>>[1]
type Modules = Set<string>

/** What everything stands on, and what every public page needs beside it. */
const base = ['react', 'react-dom', 'scheduler', 'react-router', 'clsx', '@radix-ui/react-(?:slot|compose-refs)']
const shell = [
  'paths',
  'app/(?:error-boundary|layout|lazy-page|scroll-to-top|site-pages?)',
  'components/(?:cookie-\\w+|load-error|logo|page-\\w+|theme-toggle)',
  'components/ui/(?:badge|button|spinner)',
  'data/(?:analytics|auth-context|catalog(?:.gen)?)',
  'features/layout/(?:connection-notice|top-bar)',
  'lib/(?:chunk|config|connection|consent|first-interaction|later-part|product-session|storage|stored-session|theme)',
  'lib/(?:uninvited|without-tokens)',
  'strings/numbers',
]

/** What the light public site can show, beside its pages. */
const siteStarts = ['app/start-site', 'features/landing/sections', 'features/landing/waiting-list-form']
/** What every screen of the app stands on. */
const appStarts = ['app/start-app']
/** Loaded beside the first screen of whoever is signed in. */
const signedInStarts = ['person-tools', 'bottom-navigation', 'outbox-line'].map((name) => `features/layout/${name}`)
/** What fewer screens share stays apart: everybody else would load it for nothing. */
const SCREENS_THAT_SHARE = 6

// These only name what others hold: reaching them is not reaching all of it.
const INDEXES = /\/(?:lucide-react|radix-ui)\/dist\/(?:esm\/lucide-react|index)\.m?js$/

/** All modules that `starts` import statically, themselves included. */
function reached(starts: string[], context: Context): Modules {
  const found: Modules = new Set()
  const waiting = [...starts]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    if (!INDEXES.test(id)) waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []))
  }
  return found
}

function sharedByScreens(screens: string[], context: Context): Modules {
  const users = new Map<string, number>()
  for (const screen of screens) for (const id of reached([screen], context)) users.set(id, (users.get(id) ?? 0) + 1)
  return new Set([...users].filter(([, count]) => count >= SCREENS_THAT_SHARE).map(([id]) => id))
}

/** The groups of the client in `src`. A module belongs to the first that takes it. */
export function chunkGroups(src: string): Group[] {
  const files = (names: string[]) => names.map((name) => `${src}/${name}.tsx`)
  let parts: Record<'site' | 'app' | 'screens' | 'signed-in', Modules> | undefined
  const partsBy = (context: Context) => {
    const lazyOf = (file: string) => context.getModuleInfo(`${src}/${file}`)?.dynamicallyImportedIds ?? []
    return {
      site: reached([...files(siteStarts), ...lazyOf('app/site-pages.ts')], context),
      app: reached(files(appStarts), context),
      screens: sharedByScreens(lazyOf('routes.tsx'), context),
      'signed-in': reached(files(signedInStarts), context),
    }
  }
  const partOf = (id: string, context: Context) => {
    parts ??= partsBy(context)
    for (const [name, modules] of Object.entries(parts))
      if (modules.has(id)) return name === 'screens' && id.includes('/node_modules/') ? 'libraries' : name
    return null
  }
  return [
    { name: 'base', test: new RegExp(`/node_modules/(?:${base.join('|')})/`) },
    { name: 'shell', test: new RegExp(`/src/(?:${shell.join('|')})\\.(?:tsx?|json)$`) },
    // Both entries show toasts, and only one of them is the app.
    { name: 'toasts', test: /\/node_modules\/sonner\/|\/src\/components\/ui\/sonner\.tsx$/ },
    // All but those that a public page shows at once.
    {
      name: 'icons',
      test: /\/lucide-react\/dist\/esm\/icons\/(?!(?:check|triangle-exclamation-point)\.)/,
      minShareCount: 2,
    },
    // The public site's budget is small: its pages load what they show, and nothing of the app.
    {
      name: (id, context) => (partOf(id, context) === 'site' ? 'site' : null),
      debugName: 'site',
      minShareCount: 2,
      entriesAware: true,
    },
    { name: (id, context) => partOf(id, context), debugName: 'app', minShareCount: 2 },
  ]
}

/** A file is named after one of those who share it: rolldown would name them all. */
export const chunkFileNames = ({ name }: { name: string }): string => `assets/${name.split('~', 1)[0]}-[hash].js`
