/**
 * The development mailbox, read through its REST API (shaped like Mailpit's).
 */
import { expect } from '@playwright/test'

import { readStack } from './stack'

export type Mail = { subject: string; text: string; html: string }

type Summary = { ID: string; Subject: string; To: { Address: string }[]; Created: string }

const base = `${readStack().mailbox_url}/api/v1`

async function listFor(address: string): Promise<Summary[]> {
  const response = await fetch(`${base}/messages?limit=200`)
  const { messages } = (await response.json()) as { messages: Summary[] }
  return messages.filter((message) => message.To.some((to) => to.Address.toLowerCase() === address.toLowerCase()))
}

/** How many messages `address` has got. */
export const mailCount = async (address: string): Promise<number> => (await listFor(address)).length

type Correspondent = { Name: string; Address: string }

type Whole = {
  From: Correspondent
  ReplyTo: Correspondent[]
  Subject: string
  Text: string
  HTML: string
  MessageID: string
  Attachments: { ContentType: string }[]
}

async function whole({ ID }: Summary): Promise<Whole> {
  return (await (await fetch(`${base}/message/${ID}`)).json()) as Whole
}

/** All mails that `address` has got. */
export const mailsTo = async (address: string): Promise<Whole[]> => Promise.all((await listFor(address)).map(whole))

/** Waits until `address` has got `count` messages and returns the newest. */
export async function newestMail(address: string, count = 1): Promise<Mail> {
  await expect
    .poll(async () => (await listFor(address)).length, { message: `mail ${count} for ${address}`, timeout: 20_000 })
    .toBe(count)
  const [newest] = (await listFor(address)).toSorted((a, b) => b.Created.localeCompare(a.Created))
  if (!newest) throw new Error(`no mail for ${address}`)
  const { Subject, Text, HTML } = await whole(newest)
  return { subject: Subject, text: Text, html: HTML }
}

/** The link of a mail that leads to `path` of the client, as path and query. */
export function linkTo(path: string, mail: Mail): string {
  const href = [...mail.html.matchAll(/href="([^"]+)"/g)].map((match) => (match[1] ?? '').replaceAll('&amp;', '&'))
  const link = href.find((candidate) => URL.canParse(candidate) && new URL(candidate).pathname === path)
  if (!link) throw new Error(`no link to ${path} in «${mail.subject}»`)
  const url = new URL(link)
  return url.pathname + url.search
}

/** The six digits of a mail, for people who read it on another device. */
export function codeIn(mail: Mail): string {
  const code = /\b\d{6}\b/.exec(mail.text)?.[0]
  if (!code) throw new Error(`no code in «${mail.subject}»`)
  return code
}
