import { expect, test, vi } from 'vitest'

import { firstInteraction } from '@/lib/first-interaction'

/** As the browser tells whether somebody has clicked or typed here. */
function stubActivation(hasBeenActive: boolean | undefined): void {
  vi.stubGlobal(
    'navigator',
    Object.assign(Object.create(navigator), {
      userActivation: hasBeenActive === undefined ? undefined : { hasBeenActive },
    }),
  )
}

test.each(['pointermove', 'keydown', 'scroll', 'focusin'])('%s is a sign of a person', async (kind) => {
  stubActivation(false)
  const heard = vi.fn<() => void>()
  const waiting = firstInteraction().then(heard)
  await Promise.resolve()
  expect(heard).not.toHaveBeenCalled()
  window.dispatchEvent(new Event(kind))
  await waiting
  expect(heard).toHaveBeenCalledOnce()
})

test.each([true, undefined])('nothing is waited for when activation is %s', async (hasBeenActive) => {
  stubActivation(hasBeenActive)
  await expect(firstInteraction()).resolves.toBeUndefined()
})
