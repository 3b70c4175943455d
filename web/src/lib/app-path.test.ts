import { expect, test } from 'vitest'

import { isAppPath } from '@/lib/app-path'
import { paths } from '@/paths'

import manifest from '../../public/manifest.webmanifest?raw'

test.each(['/home', '/home/', '/crm/6a1', '/settings/notifications', '/condividi', '/chat/1'])(
  '%s is a screen',
  (path) => {
    expect(isAppPath(path)).toBe(true)
  },
)

test.each(['/', '/faq', '/login', '/homer', '/offline', ''])('%s is none', (path) => {
  expect(isAppPath(path)).toBe(false)
})

test('the manifest starts, shares and shortens to screens of the app', () => {
  const { id, start_url, share_target, shortcuts } = JSON.parse(manifest) as {
    id: string
    start_url: string
    share_target: { action: string; params: Record<string, unknown> }
    shortcuts: { url: string }[]
  }
  // Another id would be another app to whoever has installed it.
  expect([id, start_url, share_target.action]).toEqual([paths.landing, paths.home, paths.share])
  expect(shortcuts.map(({ url }) => url)).toEqual([paths.newTask, paths.chat, paths.documents])
})
