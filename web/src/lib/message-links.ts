/** Addresses that open a written message in the person's own programs; whether it is sent is up to them. */

type Message = { recipient: string | null; subject: string | null; body: string }

/** RFC 6068: a space is %20, a line ends with %0D%0A. */
export function mailLink({ recipient, subject, body }: Message): string {
  const fields = [
    ...(subject ? [['subject', subject] as const] : []),
    ['body', body.replaceAll(/\r?\n/g, '\r\n')] as const,
  ]
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `mailto:${encodeURIComponent(recipient ?? '').replaceAll('%40', '@')}?${query}`
}

/** WhatsApp asks whom to write to when no number is known. */
export function whatsAppLink({ recipient, body }: Pick<Message, 'recipient' | 'body'>): string {
  return `https://wa.me/${(recipient ?? '').replaceAll(/\D/g, '')}?text=${encodeURIComponent(body)}`
}
