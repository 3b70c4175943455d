import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'

import { WhatsappVoiceChoice } from '@/features/settings/whatsapp-voice-choice'

import { answerWith, storeSession } from '../../../test/network'

test.each([
  [{ ai_stopped: true, local_only: false }, /Abbiamo fermato l’IA per tutti/],
  [{ ai_stopped: false, local_only: true }, /Hai scelto «solo modalità locale»/],
  [{ ai_stopped: false, local_only: false }, /non ha un fornitore di IA che trascrive/],
])('without a model that hears it says why: %j', async (settings, reason) => {
  storeSession()
  answerWith(() => ({ body: { ai: false, voice: false, ...settings } }))
  render(
    <QueryClientProvider client={new QueryClient()}>
      <WhatsappVoiceChoice userId="user-1" />
    </QueryClientProvider>,
  )
  expect(await screen.findByText(reason)).toBeDefined()
})
