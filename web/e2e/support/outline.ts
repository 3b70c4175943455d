/**
 * Outline of /home as the landing page's pictures show it: its sections and controls, their place, type and colours in both
 * themes, without the data of the day. Written when the pictures are taken, compared by a test: who changes the screen
 * takes new pictures.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { themes } from './screens'

const file = join(import.meta.dirname, 'pictured-home.txt')

const last = 'heading "Ultime attività"'

/** Describes /home down to the edge of the picture, and its look in each theme. */
export async function outline(page: Page): Promise<string> {
  await page.getByRole('navigation', { name: 'Principale' }).waitFor()
  const parts = [await structure(page)]
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
    parts.push(`${colorScheme}\n${await settledLook(page)}`)
  }
  return parts.join('\n')
}

/** The landmarks of the page and what stands directly in them; paragraphs are data. */
async function structure(page: Page): Promise<string> {
  const lines = (await page.locator('body').ariaSnapshot()).split('\n')
  const end = lines.findIndex((line) => line.includes(last))
  return lines
    .slice(0, end + 1)
    .filter((line) => /^ {0,2}- (?!paragraph|text|\/url)|^ {6}- link "(Da |Tra|Att|Cre)/.test(line))
    .map((line) =>
      line
        .replace(/Buon(?:giorno| pomeriggio|asera), /, '')
        .replaceAll(/\d[\d.,]*( €)?/g, '#')
        .replace(/:$/, ''),
    )
    .join('\n')
    .concat('\n')
}

/** Reads `look` until it stays the same for half a second: colours change by transitions. */
async function settledLook(page: Page): Promise<string> {
  let before = ''
  for (let now = await look(page); now !== before; now = await look(page)) {
    before = now
    await page.waitForTimeout(500)
  }
  return before
}

/** Left edge, width where no text decides it, type and colours of what every day has. */
function look(page: Page): Promise<string> {
  return page.evaluate((selectors) => {
    const lines = selectors.map((selector) => {
      const element = document.querySelector(selector)
      if (!element) return `${selector}: missing`
      const { left, width } = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      const place = style.display.startsWith('inline') ? '' : ` ${Math.round(left)} ${Math.round(width)}`
      const type = `${style.fontWeight} ${style.fontSize} ${style.fontFamily.split(',')[0]}`
      const frame = `${style.backgroundColor}, ${style.borderTopWidth} ${style.borderTopColor}, ${style.borderTopLeftRadius}`
      return `${selector}:${place} ${type}, ${style.color} on ${frame}`
    })
    return `${lines.join('\n')}\n`
  }, pieces)
}

const pieces = [
  'html',
  'body',
  'header',
  'header a',
  'main',
  'main h1',
  'main h2',
  'main [aria-label="Briefing di oggi"]',
  'main [aria-label="In breve"]',
  'main [aria-label="In breve"] > li',
  'main [aria-label="In breve"] a',
  'main [aria-label="Da fare adesso"]',
  'main [aria-label="Da fare adesso"] > li',
  'nav[aria-label="Principale"]',
  'nav[aria-label="Principale"] [aria-current="page"]',
]

export const pictured = (): string => readFileSync(file, 'utf8')

export function keepPictured(shown: string): void {
  writeFileSync(file, shown)
}
