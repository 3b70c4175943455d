/** What became of the message of a step: receipts of a PEC, ticks of WhatsApp, or why it did not arrive. */
import { Link } from 'react-router'

import { CertifiedTicks } from '@/components/certified-ticks'
import type { StepChat, StepMail } from '@/data/step-messages'
import { paths } from '@/paths'
import { dateAndTime } from '@/strings/dates'
import { mailErrorText } from '@/strings/mail'
import { whatsappErrors, whatsappStates } from '@/strings/whatsapp'

type Props = { mail: StepMail | undefined; chat: StepChat | undefined }

export function StepMessage({ mail, chat }: Props) {
  return (
    <>
      {mail?.error && (mail.state === 'failed' || mail.state === 'uncertain') && (
        <p className="break-words text-error">{mailErrorText(mail.error, mail.reply)}</p>
      )}
      {mail?.is_certified && <CertifiedTicks letter={mail} />}
      {chat?.state && (
        <p className="flex flex-wrap items-center gap-x-4">
          <span className={chat.state === 'failed' ? 'break-words text-error' : 'text-muted-foreground'}>
            {chatText(chat)}
          </span>
          <Link to={paths.crmWhatsappChat(chat.channel_id)} className="py-2.5 underline">
            Apri la chat
          </Link>
        </p>
      )}
    </>
  )
}

function chatText({ state, error, error_detail: detail, delivered_at: deliveredAt, read_at: readAt }: StepChat) {
  if (state === null) return ''
  if (state === 'failed') return detail ?? (error ? whatsappErrors[error] : whatsappStates.failed)
  const at = readAt ?? deliveredAt
  return `WhatsApp: ${whatsappStates[state].toLowerCase()}${at ? ` ${dateAndTime(at)}` : ''}`
}
