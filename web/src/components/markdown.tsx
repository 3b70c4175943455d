/** Text as Markdown. What draws it is loaded with the first of them; until then, and if that fails, the text is shown as it was typed. */
import { lazy, Suspense } from 'react'

import type { DrawWords, MarkdownProps } from '@/components/markdown-view'
import { cn } from '@/lib/cn'

const MarkdownView = lazy(() =>
  import('@/components/markdown-view').catch(() => ({
    default: ({ text, drawWords }: MarkdownProps) => plain(text, drawWords),
  })),
)

const plain = (text: string, drawWords: DrawWords | undefined) => (
  <p className="whitespace-pre-wrap">{drawWords ? drawWords(text, false) : text}</p>
)

/** Stands beside a field whose text is shown so. */
export const MARKDOWN_HINT = 'Formato: **grassetto**, «- » per gli elenchi, link e tabelle.'

type Props = {
  text: string
  className?: string
  /** Draws what the words stand for, instead of the words. */
  drawWords?: DrawWords
  /** Whether links may lead to pages of the product. */
  leadsInside?: boolean
}

/** GitHub's Markdown without its HTML and pictures: nothing is ever loaded from elsewhere. */
export function Markdown({ text, className, drawWords, leadsInside }: Props) {
  return (
    <div className={cn('grid min-w-0 gap-2 break-words', className)}>
      <Suspense fallback={plain(text, drawWords)}>
        <MarkdownView text={text} drawWords={drawWords} leadsInside={leadsInside} />
      </Suspense>
    </div>
  )
}
