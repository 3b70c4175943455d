/** The sender of a mail, as its recipient sees it. */
import { useQuery } from '@tanstack/react-query'

import { type MailAccount, sharedSenderQuery } from '@/data/mail'

export function SenderLine({ account }: { account: MailAccount }) {
  const { data: shared } = useQuery({ ...sharedSenderQuery(account.user_id), enabled: account.is_shared })
  const name = account.is_shared ? shared?.name : account.from_name
  return <>{name ? `${name} <${account.from_address}>` : account.from_address}</>
}
