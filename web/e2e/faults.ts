/**
 * Parts of the stack die while a browser polls. Runs after all other tests, alone: everybody shares the stack.
 */
import { notify } from './support/accounts'
import { killPart } from './support/processes'
import { expect, test } from './support/test'

const HEALED_WITHIN_MS = 10_000
const POLLED_EVERY_MS = 30_000

test.use({ persona: 'member' })
test.describe.configure({ mode: 'serial' })

for (const part of ['postgres', 'postgrest', 'backend', 'worker'] as const) {
  test(`${part} is killed under an open page: it heals, and the page is never broken`, async ({
    page,
    account,
    console,
  }) => {
    console.allow(/Failed to load resource|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/)
    await page.clock.install()
    await page.goto('/home')
    await expect(page.getByRole('banner').getByRole('link', { name: /100 crediti/ })).toBeVisible()

    killPart(part)
    const title = `Di nuovo qui dopo ${part}`
    await expect
      .poll(
        () =>
          notify(account, { title, message: 'Scritta dopo il guasto.', type: 'info' }).then(
            () => 'written',
            () => 'refused',
          ),
        { timeout: HEALED_WITHIN_MS, intervals: [250] },
      )
      .toBe('written')

    // What was on the screen stays on the screen, and the new row arrives by polling alone.
    await page.clock.fastForward(POLLED_EVERY_MS)
    await expect(page.getByRole('heading', { name: /Anna/ })).toBeVisible()
    await expect(page.getByText('Qualcosa è andato storto')).toBeHidden()
    await expect(page.getByRole('main').getByText(title).first()).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { name: /Anna/ })).toBeVisible()
  })
}
