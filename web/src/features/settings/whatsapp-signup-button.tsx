/** Leaves for Meta's page, where a number is connected. */
import { LeaveButton } from '@/components/leave-button'
import { useBeginSignup } from '@/data/whatsapp-signup'

type Props = { isOnPhone: boolean; label: string }

export function WhatsappSignupButton({ isOnPhone, label }: Props) {
  return <LeaveButton begin={useBeginSignup()} value={isOnPhone} label={label} />
}
