import type { User } from '@supabase/supabase-js'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import { AuthContext, guest } from '@/data/auth-context'
import type { ToolCall } from '@/data/tool-calls'
import { CardPreview } from '@/features/chat/cards/card-preview'
import { DraftCard } from '@/features/chat/cards/draft-card'

import { answerWith, makeSession, storeSession } from '../../../../test/network'

const BODY = 'Ciao {{nome}}, {{importo da pagare}}'
const draft = {
  id: 'd-1',
  contact_id: 'c-1',
  channel: 'email',
  recipient: null,
  subject: 'Per {{contatto}}',
  body: BODY,
}
const contact = { id: 'c-1', first_name: 'Marta', last_name: 'Neri', name: 'Marta Neri', type: 'persona', emails: [] }

function show(card: React.ReactNode, contactStatus = 200) {
  storeSession()
  answerWith(({ path }) => {
    if (path.includes('/drafts')) return { body: { ...draft, deleted_at: null } }
    if (path.includes('/contacts?')) return { status: contactStatus, body: contact }
    return { body: null }
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AuthContext value={{ ...guest, user: makeSession().user as User }}>
        <MemoryRouter>{card}</MemoryRouter>
      </AuthContext>
    </QueryClientProvider>,
  )
}

const proposal = (template?: string) =>
  ({
    tool: 'draft_email',
    args: { contact_id: 'c-1', subject: draft.subject, body: BODY, template },
    preview: { title: 'Bozza', lines: [{ label: 'Oggetto', value: draft.subject }], body: BODY },
  }) as unknown as ToolCall

test('a mail from a template is shown with its values, and what lacks one stays a place', async () => {
  show(<CardPreview call={proposal('Sollecito')} />)
  expect(await screen.findByText('Ciao Marta, {{importo da pagare}}')).toBeDefined()
  expect(screen.getByText('Per Marta Neri')).toBeDefined()
})

test('a mail without a template is shown as it was written', () => {
  show(<CardPreview call={proposal()} />)
  expect(screen.getByText(BODY)).toBeDefined()
})

test('a kept draft is opened with its values', async () => {
  show(<DraftCard userId="user-1" draftId="d-1" />)
  expect(await screen.findByText('Ciao Marta, {{importo da pagare}}')).toBeDefined()
  const link = screen.getByRole('link', { name: 'Apri nella posta' }).getAttribute('href')
  expect(decodeURIComponent(link ?? '')).toContain('Ciao Marta, {{importo da pagare}}')
})

test('a draft whose contact cannot be read keeps its places', async () => {
  show(<DraftCard userId="user-1" draftId="d-1" />, 500)
  expect(await screen.findByText(BODY)).toBeDefined()
})
