/**
 * The first hour of a new customer: from the sign-up form to a home screen made of real rows.
 */
import { signUp, stranger } from './support/accounts'
import { codeIn, linkTo, newestMail } from './support/mailbox'
import { expect, test } from './support/test'

test('a stranger registers, confirms on another device, logs in, passes onboarding and sees the home screen @journey', async ({
  page,
  elsewhere,
}) => {
  const person = stranger('Marta Colombo')

  await test.step('registers', async () => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Scegli Pro' }).first().click()
    await expect(page.getByText('Hai scelto Pro.')).toBeVisible()
    await page.getByLabel('Nome completo').fill(person.fullName)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByLabel('Conferma password').fill(person.password)
    await page.getByRole('button', { name: 'Crea account' }).click()
    await expect(page.getByText('Registrazione completata! Controlla la tua email per confermare.')).toBeVisible()
    await expect(page).toHaveURL('/login')
  })

  await test.step('confirms with the link, on the phone', async () => {
    const link = linkTo('/auth/confirm', await newestMail(person.email))
    const phone = await elsewhere()
    await phone.goto(link)
    await phone.getByRole('button', { name: 'Conferma indirizzo' }).click()
    await expect(phone).toHaveURL('/onboarding')
  })

  await test.step('logs in', async () => {
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Accedi', exact: true }).click()
    await expect(page.getByText('Login effettuato con successo!')).toBeVisible()
    await expect(page).toHaveURL('/onboarding')
  })

  await test.step('passes the four steps', async () => {
    await expect(page.getByLabel('Nome completo')).toHaveValue('Marta Colombo')
    await page.getByLabel('Che lavoro fai?').fill('Fotografa')
    await page.getByRole('radio', { name: 'Forfettario' }).click()
    await page.getByLabel('Che cosa vuoi ottenere per primo?').fill('Rispondere ai preventivi in giornata')
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByRole('heading', { name: 'Importa' })).toBeVisible()
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByRole('heading', { name: 'Canali' })).toBeVisible()
    await page.getByRole('button', { name: 'Continua' }).click()
    await expect(page.getByRole('heading', { name: 'Primo risultato' })).toBeVisible()
    await expect(page.getByText('Non hai ancora portato niente')).toBeVisible()
    await page.getByRole('button', { name: 'Vai alla tua home' }).click()
  })

  await test.step('sees name, balance and the welcome notification', async () => {
    await expect(page).toHaveURL('/home')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Marta')
    await expect(page.getByRole('banner').getByRole('link', { name: /100/ })).toBeVisible()
    // What becomes of the plan that was chosen is said once, on whatever device it was confirmed.
    const plan = page.getByText('Hai scelto Pro. Gli abbonamenti sono in arrivo')
    await expect(plan).toBeVisible()
    await page.getByRole('button', { name: 'Chiudi l’avviso' }).click()
    await expect(plan).toBeHidden()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Marta')
    await expect(plan).toBeHidden()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Notifiche/ })
      .click()
    await expect(page.getByRole('dialog').getByText(/benvenuto/)).toBeVisible()
  })
})

test('the six digits of the mail confirm an address without the link', async ({ page }) => {
  const person = stranger()
  await page.goto('/register')
  await page.getByLabel('Nome completo').fill(person.fullName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Conferma password').fill(person.password)
  await page.getByRole('button', { name: 'Crea account' }).click()
  await page.getByRole('link', { name: 'Inserisci il codice' }).click()

  await expect(page.getByLabel('Email')).toHaveValue(person.email)
  await page.getByLabel('Codice di sei cifre').fill(codeIn(await newestMail(person.email)))
  await page.getByRole('button', { name: 'Conferma indirizzo' }).click()
  await expect(page).toHaveURL('/onboarding')
})

test('a link that no longer works offers another mail, and that one works', async ({ page, console }) => {
  console.allow(/the server responded with a status of 403/)
  const person = stranger()
  await signUp(person)
  await newestMail(person.email)
  await page.goto('/auth/confirm?token_hash=vecchio&type=signup')
  await page.getByRole('button', { name: 'Conferma indirizzo' }).click()
  await expect(page.getByRole('heading', { name: 'Questo link non vale più' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Invia di nuovo' }).click()
  await expect(page.getByText('Email inviata di nuovo! Controlla la tua casella.')).toBeVisible()

  await page.goto(linkTo('/auth/confirm', await newestMail(person.email, 2)))
  await page.getByRole('button', { name: 'Conferma indirizzo' }).click()
  await expect(page).toHaveURL('/onboarding')
})
