import { expect, test } from 'vitest'

import { codeSchema, loginSchema, registerSchema, resetPasswordSchema } from './schemas'

const person = {
  fullName: 'Anna Bianchi',
  email: 'anna@example.it',
  password: 'Prova-2026',
  confirmPassword: 'Prova-2026',
}

/** The first message per field, as the form shows it. */
function messages(
  schema: { safeParse: (value: unknown) => { error?: { issues: { path: PropertyKey[]; message: string }[] } } },
  value: unknown,
) {
  const issues = schema.safeParse(value).error?.issues ?? []
  return Object.fromEntries(issues.toReversed().map((issue) => [issue.path.join('.'), issue.message]))
}

test('complete values pass every form', () => {
  expect(messages(loginSchema, person)).toEqual({})
  expect(messages(registerSchema, person)).toEqual({})
  expect(messages(resetPasswordSchema, person)).toEqual({})
  expect(messages(codeSchema, { email: person.email, code: ' 123456 ' })).toEqual({})
})

test('the login names wrong address and short password', () => {
  expect(messages(loginSchema, { email: 'anna', password: '12345' })).toEqual({
    email: 'Email non valida',
    password: 'Password deve essere almeno 6 caratteri',
  })
})

test.each([
  ['Corta1', 'Password deve essere almeno 8 caratteri'],
  ['minuscole1', 'Password deve contenere almeno una maiuscola'],
  ['MAIUSCOLE1', 'Password deve contenere almeno una minuscola'],
  ['SenzaCifre', 'Password deve contenere almeno un numero'],
  [`Aa1${'è'.repeat(40)}`, 'Password troppo lunga'],
])('registration refuses the password %s', (password, message) => {
  expect(messages(registerSchema, { ...person, password, confirmPassword: password })).toEqual({ password: message })
})

test('all wrong fields of the registration are named at once', () => {
  expect(messages(registerSchema, { fullName: ' A ', email: '', password: 'corta', confirmPassword: 'altra' })).toEqual(
    {
      fullName: 'Nome deve essere almeno 2 caratteri',
      email: 'Email non valida',
      password: 'Password deve essere almeno 8 caratteri',
      confirmPassword: 'Le password non coincidono',
    },
  )
})

test('the code is six digits', () => {
  expect(messages(codeSchema, { email: person.email, code: '12345' })).toEqual({ code: 'Il codice ha sei cifre' })
})
