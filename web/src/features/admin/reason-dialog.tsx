/** Asks an admin for the reason of an action, which the log keeps. */
import { NameDialog } from '@/components/name-dialog'

type Props = {
  title: string
  text: string
  done: string
  onAct: (reason: string) => Promise<unknown>
  onClose: () => void
}

export function ReasonDialog({ title, text, done, onAct, onClose }: Props) {
  return (
    <NameDialog
      title={title}
      text={`${text} Il motivo resta nel registro delle azioni.`}
      label="Motivo"
      submit="Conferma"
      longest={500}
      check={(reason) => (reason.length < 3 ? 'Scrivi il motivo' : '')}
      done={done}
      onSubmit={onAct}
      onClose={onClose}
    />
  )
}
