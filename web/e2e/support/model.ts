/**
 * The fake of a model's provider that the stack's backend asks (tests/fakes/llm): what it says next is a script.
 */
import { expect, type Page } from '@playwright/test'

import { readStack } from './stack'

/** Tokens are words. */
type Said = {
  text?: string
  calls?: { name: string; arguments: Record<string, unknown> }[]
  status?: number
  cut_after?: number
  stall_after?: number
}

const control = `${readStack().model_url}/_fake`

async function tell(method: string, path: string, body?: unknown): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(control + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
}

/** What it says to every question from now on: the first step, then one for each round of tools that it has called. */
export function modelSays(...steps: Said[]): Promise<void> {
  return tell('PUT', '/script', { rules: [{ steps }] })
}

/** What a person says when they are asked, before their first question, whether the model may read it. */
export async function letModelRead(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Chi legge la tua domanda' })
  await dialog.getByRole('button', { name: 'Va bene, invia' }).click()
  await expect(dialog).toHaveCount(0)
}

/** What stands still goes on. */
export function modelGoesOn(): Promise<void> {
  return tell('POST', '/release')
}
