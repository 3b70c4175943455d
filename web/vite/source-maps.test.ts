import { mkdir, mkdtemp, readdir, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { prune } from './source-maps.ts'

const NOW = new Date('2026-11-29T12:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000)

async function folderOf(releases: Record<string, number>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'source-maps-'))
  await Promise.all(
    Object.entries(releases).map(async ([name, days]) => {
      await mkdir(join(folder, name))
      await utimes(join(folder, name), daysAgo(days), daysAgo(days))
    }),
  )
  return folder
}

test('maps are kept 90 days after their release was replaced, however long it was in use', async () => {
  const folder = await folderOf({ current: 0, previous: 200, recent: 250, gone: 300 })
  await prune(folder, 'current', NOW)
  expect((await readdir(folder)).toSorted()).toEqual(['current', 'previous'])
  await mkdir(join(folder, 'next'))
  await prune(folder, 'next', daysAgo(-89))
  expect((await readdir(folder)).toSorted()).toEqual(['current', 'next', 'previous'])
})

test('thirty replaced releases are kept at most', async () => {
  const folder = await folderOf(Object.fromEntries(Array.from({ length: 40 }, (_, days) => [`release-${days}`, days])))
  await prune(folder, 'release-0', NOW)
  expect(await readdir(folder)).toHaveLength(31)
  expect(await readdir(folder)).toContain('release-30')
})
