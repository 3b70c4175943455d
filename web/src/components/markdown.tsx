/** Text as Markdown. What draws it is loaded with the first of them; until then, and if that fails, the text is shown as it was typed. */
import { lazy, Suspense } from 'react'

import { cn } from '@/lib/cn'

const MarkdownView = lazy(() =>
  import('@/components/markdown-view').catch(() => ({ default: ({ text }: { text: string }) => plain(text) })),
)

const plain = (text: string) => <p className="whitespace-pre-wrap">{text}</p>

/** Stands beside a field whose text is shown so. */
export const MARKDOWN_HINT = 'Formato: **grassetto**, «- » per gli elenchi, link e tabelle.'

/** GitHub's Markdown without its HTML and pictures: nothing is ever loaded from elsewhere. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  return (
    <div className={cn('grid min-w-0 gap-2 break-words', className)}>
      <Suspense fallback={plain(text)}>
        <MarkdownView text={text} />
      </Suspense>
    </div>
  )
}
