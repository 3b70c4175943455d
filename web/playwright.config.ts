/**
 * End-to-end tests in the system's Chromium against a running stack (the address comes from $SOCIO_RUN_JSON).
 *
 *   python -m scripts.stack -- npm run e2e -w web       a throw-away stack, then a journey for each screen
 *   python -m scripts.stack -- npm run e2e:long -w web  the other tests, then those that kill parts of the stack
 *   make qa                                             the checks on phones, with a report for the admins' screens
 *   python -m scripts.stack -- npm run shots -w web     pictures of every screen into web/test-results/shots
 */
import { availableParallelism } from 'node:os'

import { defineConfig } from '@playwright/test'

import { chromium } from './e2e/support/chromium'
import { readStack } from './e2e/support/stack'

// Tools that only read this file (knip) have no stack.
const baseURL = process.env.SOCIO_RUN_JSON ? readStack().url : undefined

// The file for a report that `python -m scripts.qa` reads.
const report = process.env.SOCIO_QA_REPORT

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results',
  fullyParallel: true,
  forbidOnly: true,
  // A slow machine of CI may miss a deadline once: what does so is listed as flaky, and what fails twice fails.
  retries: process.env.CI ? 1 : 0,
  // Tests wait for others a fifth of their time: three at a time keep two cores busy.
  workers: Math.ceil(availableParallelism() * 1.5),
  // A quiet machine needs a third of them at most; a busy one is slow and not wrong.
  timeout: 120_000,
  expect: { timeout: process.env.CI ? 20_000 : 10_000 },
  reporter: report ? [['list'], ['json', { outputFile: report }]] : [['list']],
  // Says in a report which state of the code was tested.
  ...(report && { captureGitInfo: { commit: true } }),
  use: {
    baseURL,
    locale: 'it-IT',
    timezoneId: 'Europe/Rome',
    // Animations explain where things went; a test (and axe's contrast rule) wants them at their end.
    contextOptions: { reducedMotion: 'reduce' },
    // Cheap evidence; add `--trace on` by hand where a picture is not enough.
    screenshot: 'only-on-failure',
    // Its headless shell is the same engine without windows, and takes two thirds of the time.
    launchOptions: chromium('chromium-headless-shell', 'chromium'),
  },
  projects: [
    // One test for each screen, its title marked; `make test` runs them and `make test-long` all others.
    { name: 'journeys', testMatch: '*.spec.ts', grep: /@journey/ },
    { name: 'matrix', testMatch: '*.spec.ts', grepInvert: /@journey/ },
    { name: 'full-account', testMatch: 'full-account.ts', dependencies: ['matrix'], workers: 1 },
    // Alone: the limits of an admin reach every account.
    { name: 'guardrail', testMatch: 'guardrail.ts', dependencies: ['full-account'], fullyParallel: false, workers: 1 },
    // Alone and last: it kills parts of the stack that all tests share.
    { name: 'faults', testMatch: 'faults.ts', dependencies: ['guardrail'], workers: 1 },
    { name: 'shots', testMatch: 'screenshots.ts' },
    { name: 'pictures', testMatch: 'landing-pictures.ts' },
  ],
})
