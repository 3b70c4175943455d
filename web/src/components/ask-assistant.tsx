import { MessageCircleQuestionIcon } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import { paths } from '@/paths'

type Props = { question: string; className?: string }

/** Leads to a new conversation with the question already typed; nothing is sent before the person does. */
export function AskAssistant({ question, className }: Props) {
  return (
    <Button variant="outline" size="sm" className={className} asChild>
      <Link to={paths.ask(question)}>
        <MessageCircleQuestionIcon aria-hidden /> Chiedi all’assistente
      </Link>
    </Button>
  )
}
