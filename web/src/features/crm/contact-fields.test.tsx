import { zodResolver } from '@hookform/resolvers/zod'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useForm } from 'react-hook-form'
import { expect, test } from 'vitest'

import { AuthForm } from '@/components/auth-form'
import { contactSchema, type ContactValues, emptyContact } from '@/data/contacts-form'
import { ContactFields } from '@/features/crm/contact-fields'

function Sample() {
  const form = useForm<ContactValues>({
    resolver: zodResolver(contactSchema),
    defaultValues: { ...emptyContact('persona'), firstName: 'Anna' },
    mode: 'onTouched',
  })
  return (
    <QueryClientProvider client={new QueryClient()}>
      <AuthForm form={form} onSubmit={() => undefined} submit="Salva">
        <ContactFields userId="u" isNew={false} />
      </AuthForm>
    </QueryClientProvider>
  )
}

test('a postal code that is wrong in Italy is right as soon as the address is abroad', async () => {
  render(<Sample />)
  const user = userEvent.setup()
  const country = screen.getByLabelText('Paese')
  expect(country).toHaveProperty('value', 'Italia')
  await user.type(screen.getByLabelText('CAP'), '1201')
  await user.tab()
  expect(await screen.findByText('Il CAP ha 5 cifre')).toBeDefined()
  await user.clear(country)
  await user.type(country, 'Svizzera')
  await user.tab()
  await expect.poll(() => screen.queryByText('Il CAP ha 5 cifre')).toBeNull()
  expect(screen.getByLabelText('CAP')).toHaveProperty('maxLength', 20)
})
