import { renderHook, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'

import { signIn, signOut } from '@/api/auth'
import { dismissImport, type ImportJob, pauseImport, startImport, useImportRun } from '@/data/import-run'
import type { ImportRow } from '@/lib/contact-csv-rows'

import { answerWith, type Call, makeSession } from '../../test/network'

const rows = Array.from({ length: 120 }, (_, row) => ({ row, name: `Contatto ${row}` }) as unknown as ImportRow)
const job: ImportJob = {
  userId: 'user-1',
  fileName: 'clienti-di-giulia.csv',
  kind: 'csv',
  rows,
  rejected: 0,
  match: 'salta',
  consent: null,
  batchId: null,
}
const counts = { created: 50, updated: 0, skipped: 0, errors: [], cells: [] }

/** The person by whose token a call was made is who signed in last; `refuse` says which calls find the server away. */
async function start({ refuse = () => false }: { refuse?: (call: Call) => boolean } = {}) {
  let next = 'user-1'
  const calls = answerWith((call) => {
    if (call.path.includes('/token')) return { body: makeSession(next) }
    if (call.path.startsWith('/auth')) return { status: 204 }
    if (refuse(call)) return { status: 503, body: { message: 'away' } }
    return { body: call.path.endsWith('begin_import') ? 'batch-1' : counts }
  })
  const credentials = { email: 'giulia@socio.example', password: 'Password-1' }
  await signIn(credentials)
  const { result } = renderHook(useImportRun)
  let changes = 0
  const ended = startImport(job, () => (changes += 1))
  return {
    run: () => result.current,
    changes: () => changes,
    ended,
    sent: () => calls.flatMap(({ path }) => (path.startsWith('/rest/v1/rpc/') ? [path.slice(13)] : [])),
    anotherPerson: async () => {
      next = 'user-2'
      await signIn(credentials)
    },
  }
}

function asksBeforeLeaving(): boolean {
  const event = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(event)
  return event.defaultPrevented
}

test('an import goes to its end, and waits on the screen until it is dismissed', async () => {
  const { run, changes, ended, sent } = await start()
  expect(asksBeforeLeaving()).toBe(true)
  await ended
  await waitFor(() => expect(run()).toMatchObject({ state: 'done', sent: 120, batchId: 'batch-1' }))
  expect(sent()).toEqual(['begin_import', 'import_contacts', 'import_contacts', 'finish_import'])
  expect(changes()).toBe(1)
  expect(asksBeforeLeaving()).toBe(false)
  dismissImport()
})

test('whoever signs in next sees nothing of an import that has ended', async () => {
  const { run, ended } = await start()
  await ended
  await waitFor(() => expect(run()?.state).toBe('done'))
  await signOut('user-1')
  await waitFor(() => expect(run()).toBeNull())
})

test('a paused import ends with its person: nothing of it is sent as somebody else', async () => {
  const { run, changes, ended, sent, anotherPerson } = await start()
  pauseImport()
  await waitFor(() => expect(run()?.state).toBe('paused'))
  const before = sent()
  await anotherPerson()
  await ended
  await waitFor(() => expect(run()).toBeNull())
  expect(sent()).toEqual(before)
  expect(changes()).toBe(0)
  expect(asksBeforeLeaving()).toBe(false)
})

test('a beginning that is tried again is not tried as somebody else', async () => {
  const { run, ended, sent, anotherPerson } = await start({ refuse: ({ path }) => path.endsWith('begin_import') })
  await waitFor(() => expect(run()?.state).toBe('interrupted'))
  const before = sent()
  await anotherPerson()
  await ended
  expect(sent()).toEqual(before)
  expect(run()).toBeNull()
})

test('another person’s session is noticed even before it is told', async () => {
  const { ended, sent } = await start({ refuse: ({ path }) => path.endsWith('begin_import') })
  await waitFor(() => expect(sent()).not.toEqual([]))
  const before = sent()
  // Another tab wrote it; the word about it is still on its way.
  localStorage.setItem('sb-127-auth-token', JSON.stringify(makeSession('user-2')))
  await ended
  expect(sent()).toEqual(before)
})
