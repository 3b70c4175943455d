/**
 * What the landing page's pictures show of /home: its sections and controls, without the data of the day. Written when
 * the pictures are taken, compared by a test: who changes the screen takes new pictures.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

const file = join(import.meta.dirname, 'pictured-home.txt')

const last = 'heading "Ultime attività"'

/** The landmarks of the page and what stands directly in them, down to the edge of the picture; paragraphs are data. */
export async function outline(page: Page): Promise<string> {
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

export const pictured = (): string => readFileSync(file, 'utf8')

export function keepPictured(shown: string): void {
  writeFileSync(file, shown)
}
