/**
 * The camera: a picture of every screen at three widths in both themes, for people to look at.
 *
 * Run only by `npm run shots -w web`; the pictures land in web/test-results/shots.
 */
import { mkdirSync } from 'node:fs'

import { notify } from './support/accounts'
import { open, screens, themes } from './support/screens'
import { type Persona, test } from './support/test'

const folder = 'test-results/shots'
const viewports = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]

mkdirSync(folder, { recursive: true })

for (const persona of Object.keys(screens) as Persona[]) {
  test.describe(persona, () => {
    test.use({ persona })

    test(`pictures for ${persona}`, async ({ page, visitor, console }) => {
      test.setTimeout(300_000)
      console.allow(/404/)
      if (visitor && persona === 'member') {
        await notify(visitor, {
          title: 'Preventivo accettato',
          message: 'Rossi Srl ha accettato il preventivo 12.',
          type: 'success',
        })
        await notify(visitor, {
          title: 'Scadenza vicina',
          message: 'Il modello F24 scade tra tre giorni.',
          type: 'warning',
        })
      }
      for (const screen of screens[persona]) {
        for (const theme of themes) {
          await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
          await open(page, screen)
          for (const viewport of viewports) {
            await page.setViewportSize(viewport)
            const name = `${persona}${screen.path.replaceAll(/[^a-z]+/g, '-')}-${viewport.width}-${theme}`
            await page.screenshot({ path: `${folder}/${name}.png` })
          }
        }
      }
    })
  })
}
