import type { User } from '@supabase/supabase-js'
import { render } from '@testing-library/react'
import { toast } from 'sonner'
import { expect, test, vi } from 'vitest'

import { ChosenPlan } from '@/features/layout/chosen-plan'

import { answerWith, storeSession } from '../../../test/network'

const person = (id: string, user_metadata: object) => ({ id, user_metadata }) as User

test('the plan of the registration is answered once, and the server notes it', async () => {
  storeSession()
  const calls = answerWith(() => ({ body: {} }))
  const info = vi.spyOn(toast, 'info')
  const user = person('chose-pro', { chosen_plan: 'pro' })
  render(<ChosenPlan user={user} />)
  render(<ChosenPlan user={user} />)
  expect(info).toHaveBeenCalledOnce()
  expect(info.mock.calls[0]?.[0]).toBe('Prossimamente: ti avvisiamo')
  expect(info.mock.calls[0]?.[1]?.description).toContain('Hai scelto Pro.')
  await expect.poll(() => calls.some(({ path }) => path.includes('/auth/v1/user'))).toBe(true)
})

test.each([
  ['chose nothing', {}],
  ['starts with Free', { chosen_plan: 'free' }],
  ['has a plan that is none', { chosen_plan: 7 }],
  ['was told before', { chosen_plan: 'pro', is_plan_told: true }],
])('somebody who %s hears nothing', (what, metadata) => {
  const info = vi.spyOn(toast, 'info')
  render(<ChosenPlan user={person(what, metadata)} />)
  expect(info).not.toHaveBeenCalled()
})
