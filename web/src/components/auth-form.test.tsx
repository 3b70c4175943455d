import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useForm } from 'react-hook-form'
import { beforeEach, expect, test } from 'vitest'

import { AuthForm, EmailField, TextField } from '@/components/auth-form'

type Values = { email: string; code: string }
let answer: (refusal?: keyof Values) => void

function Sample() {
  const form = useForm<Values>({ defaultValues: { email: '', code: '' } })
  const onSubmit = () =>
    new Promise<void>((resolve) => {
      answer = (refusal) => {
        if (refusal) form.setError(refusal, { message: 'No' })
        resolve()
      }
    })
  return (
    <>
      <AuthForm form={form} onSubmit={onSubmit} submit="Invia">
        <EmailField />
        <TextField name="code" label="Codice" />
      </AuthForm>
      <a href="#elsewhere">Altrove</a>
    </>
  )
}

/** Sends the form from its first field; a browser takes the focus from what is disabled, which jsdom does not. */
async function send(): Promise<HTMLElement> {
  const email = screen.getByLabelText('Email')
  await userEvent.setup().type(email, 'giulia@socio.example')
  fireEvent.submit(email.closest('form') as HTMLFormElement)
  await waitFor(() => expect(email.closest('fieldset')).toHaveProperty('disabled', true))
  email.blur()
  return email
}

const focused = () => document.activeElement

beforeEach(() => void render(<Sample />))

test('after the answer the focus is where it was', async () => {
  const email = await send()
  expect(focused()).toBe(document.body)
  answer()
  await waitFor(() => expect(focused()).toBe(email))
})

test('a field that the server refused has it instead', async () => {
  await send()
  answer('code')
  await waitFor(() => expect(focused()).toBe(screen.getByLabelText('Codice')))
})

test('whoever has gone on elsewhere is not called back', async () => {
  const email = await send()
  screen.getByRole('link').focus()
  answer('code')
  await waitFor(() => expect(email.closest('fieldset')).toHaveProperty('disabled', false))
  expect(focused()).toBe(screen.getByRole('link'))
})
