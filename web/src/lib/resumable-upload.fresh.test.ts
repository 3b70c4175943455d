import type { DetailedError, UploadOptions } from 'tus-js-client'
import { expect, test, vi } from 'vitest'

import { startTransfer } from '@/lib/resumable-upload'
import type { UploadFailure } from '@/strings/files'

const begun: UploadOptions[] = []
const nothing = () => undefined

vi.mock('tus-js-client', () => ({
  Upload: class {
    options
    constructor(_file: File, options: UploadOptions) {
      this.options = options
      begun.push(options)
    }
    findPreviousUploads = () => Promise.resolve([])
    start = () => undefined
    abort = () => Promise.resolve()
  },
}))

/** What tus-js-client reports when storage refuses the beginning of an upload. */
function refusal(statusCode: string, onTheWire = 400): DetailedError {
  const originalResponse = { getStatus: () => onTheWire, getBody: () => JSON.stringify({ statusCode }) }
  return Object.assign(new Error('refused'), {
    originalRequest: { getMethod: () => 'POST' },
    originalResponse,
  }) as unknown as DetailedError
}

test.each([
  ['402', 'quota'],
  ['409', 'taken'],
  ['413', 'too_large'],
  ['415', 'type'],
  ['429', 'too_many'],
  ['507', 'full'],
  ['400', 'unexpected'],
])('an upload that storage refuses with %s ends as «%s», and is not tried again by itself', async (status, failure) => {
  const { options, onFailure } = await started()
  expect(options?.onShouldRetry?.(refusal(status), 0, options)).toBe(false)
  options?.onError?.(refusal(status))
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith(failure))
})

test('a server that stays busy is not told as too many uploads', async () => {
  const { options, onFailure } = await started()
  expect(options?.onShouldRetry?.(refusal('429', 429), 0, options)).toBe(true)
  options?.onError?.(refusal('429', 429))
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith('unexpected'))
})

async function started() {
  const onFailure = vi.fn<(failure: UploadFailure) => void>()
  await startTransfer({
    file: new File(['x'], 'a.txt'),
    endpoint: '/storage/v1/upload/resumable',
    metadata: { bucketName: 'documents', objectName: 'a.txt', contentType: 'text/plain', cacheControl: '3600' },
    owner: 'anna',
    headers: () => Promise.resolve({}),
    onProgress: nothing,
    onInterrupted: nothing,
    onDone: nothing,
    onFailure,
  })
  return { options: begun.at(-1), onFailure }
}
