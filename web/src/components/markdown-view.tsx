/**
 * Draws Markdown as React elements. The tokens of `marked` become elements one by one, so no text is ever HTML: tags are
 * shown as they were typed, a picture is a link to it, and addresses other than those of `safeAddress` stay text, save
 * pages of the product where whoever wrote the text may lead there.
 */
import { clsx } from 'clsx'
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { createContext, createElement, Fragment, type ReactNode, use } from 'react'

import { Link } from 'react-router'

import { CopyButton } from '@/components/copy-button'
import { paths } from '@/paths'

const INSIDE = [
  paths.home,
  paths.documents,
  paths.tasks,
  paths.projects,
  paths.crm,
  paths.settings,
  paths.notifications,
]
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/** Draws the words of a text; in code nothing but text may come of them. */
export type DrawWords = (words: string, isCode: boolean) => ReactNode

const Drawing = createContext<DrawWords>((words) => words)
const LeadsInside = createContext(false)

export type MarkdownProps = {
  text: string
  drawWords?: DrawWords | undefined
  /** Whether links may lead to pages of the product: not where a stranger may have written them. */
  leadsInside?: boolean | undefined
}

export default function MarkdownView({ text, drawWords, leadsInside = false }: MarkdownProps) {
  const tokens = tokensOf(text)
  const page = tokens ? (
    all(tokens, block)
  ) : (
    <p className="whitespace-pre-wrap">
      <Words>{text}</Words>
    </p>
  )
  const drawn = drawWords ? <Drawing value={drawWords}>{page}</Drawing> : page
  return leadsInside ? <LeadsInside value>{drawn}</LeadsInside> : drawn
}

function Words({ children, isCode = false }: { children: string; isCode?: boolean }) {
  return use(Drawing)(children, isCode)
}

/** Null when the text is nested deeper than can be read. */
function tokensOf(text: string): Token[] | null {
  try {
    // A line of a note ends where it was ended.
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return null
  }
}

/** What `draw` makes of each. Positions never change within one text, so the elements need no keys. */
function each<T>(items: readonly T[], draw: (item: T) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...items.map(draw))
}

const all = (tokens: readonly Token[] | undefined, draw: (token: MarkedToken) => ReactNode) =>
  each((tokens ?? []) as MarkedToken[], draw)

function block(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
      return null
    case 'heading':
      // Bold lines rather than headings: a note must not break into the outline of its page.
      return <p className={clsx('font-semibold', token.depth === 1 && 'text-base')}>{all(token.tokens, inline)}</p>
    case 'code':
      return <Code text={token.text} />
    case 'blockquote':
      return (
        <blockquote className="grid gap-2 border-l-2 pl-3 text-muted-foreground">{all(token.tokens, block)}</blockquote>
      )
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'hr':
      return <hr />
    case 'paragraph':
      return <p>{all(token.tokens, inline)}</p>
    case 'html':
    case 'def':
      return (
        <p className="whitespace-pre-wrap">
          <Words>{token.raw.trimEnd()}</Words>
        </p>
      )
    default:
      return inline(token)
  }
}

function inline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? all(token.tokens, inline) : <Words>{token.text}</Words>
    case 'escape':
      return <Words>{token.text}</Words>
    case 'strong':
      return <strong className="font-semibold">{all(token.tokens, inline)}</strong>
    case 'em':
      return <em>{all(token.tokens, inline)}</em>
    case 'del':
      return <del>{all(token.tokens, inline)}</del>
    case 'codespan':
      return (
        <code className="rounded-sm bg-muted px-1 font-mono text-xs">
          <Words isCode>{token.text}</Words>
        </code>
      )
    case 'br':
      return <br />
    case 'checkbox':
      return <Box isTicked={token.checked} />
    case 'link':
      return <Anchor href={token.href}>{all(token.tokens, inline)}</Anchor>
    case 'image':
      return (
        <Anchor href={token.href}>
          <Words>{token.text || token.href}</Words>
        </Anchor>
      )
    default:
      return <Words>{token.raw}</Words>
  }
}

function Code({ text }: { text: string }) {
  const plain = use(Drawing)(text, true)
  return (
    <div className="relative min-w-0">
      {/* Long lines scroll, with the keyboard too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} className="overflow-x-auto rounded-sm border bg-muted px-3 py-2 pr-28">
        <code className="font-mono text-xs">{plain}</code>
      </pre>
      <div className="absolute top-1 right-1">
        <CopyButton text={typeof plain === 'string' ? plain : text} label="Copia" />
      </div>
    </div>
  )
}

/** The address if it is one that may be followed: on the web, a mailbox, a telephone. */
function safeAddress(href: string): string | null {
  const url = URL.parse(href)
  return url && SCHEMES.has(url.protocol) ? url.href : null
}

/** Whether the path is of a page that shows something of the person and does nothing by being opened. */
function isInside(path: string): boolean {
  const url = URL.parse(path, window.location.origin)
  return (
    path.startsWith('/') &&
    url?.origin === window.location.origin &&
    INSIDE.some((page) => url.pathname === page || url.pathname.startsWith(`${page}/`))
  )
}

const LINK = 'text-primary underline underline-offset-2'

function Anchor({ href, children }: { href: string; children: ReactNode }) {
  const leadsInside = use(LeadsInside)
  if (leadsInside && isInside(href))
    return (
      <Link to={href} className={LINK}>
        {children}
      </Link>
    )
  const address = safeAddress(href)
  if (!address) return children
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
      {children}
    </a>
  )
}

function Box({ isTicked }: { isTicked: boolean }) {
  return (
    <input
      type="checkbox"
      checked={isTicked}
      disabled
      readOnly
      aria-label={isTicked ? 'Fatto' : 'Da fare'}
      className="mr-1.5 size-3.5 align-[-0.125rem] accent-primary"
    />
  )
}

function List({ list }: { list: Tokens.List }) {
  const items = each(list.items, (item) => (
    <li className={clsx('pl-1 marker:text-muted-foreground', item.task && '-ml-5 list-none')}>
      <div className={clsx('inline-grid max-w-full gap-1 align-top', list.loose && 'gap-2')}>{entry(item)}</div>
    </li>
  ))
  if (!list.ordered) return <ul className="grid list-disc gap-1 pl-5">{items}</ul>
  return (
    <ol start={list.start === '' ? 1 : list.start} className="grid list-decimal gap-1 pl-6">
      {items}
    </ol>
  )
}

/** Of an item the words stand in one line, however many tokens they are; blocks below. */
function entry({ tokens }: Tokens.ListItem): ReactNode {
  const first = tokens.findIndex(({ type }) => type !== 'text' && type !== 'checkbox')
  const words = first === -1 ? tokens : tokens.slice(0, first)
  return (
    <>
      {words.length > 0 && <div>{all(words, inline)}</div>}
      {all(tokens.slice(words.length), block)}
    </>
  )
}

function Table({ table }: { table: Tokens.Table }) {
  return (
    // Wide tables scroll by themselves, with the keyboard too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div tabIndex={0} role="group" aria-label="Tabella" className="overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>{each(table.header, cell)}</tr>
        </thead>
        <tbody>
          {each(table.rows, (row) => (
            <tr>{each(row, cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function cell({ header, align, tokens }: Tokens.TableCell): ReactNode {
  const Cell = header ? 'th' : 'td'
  return (
    <Cell
      className={clsx(
        'border px-2.5 py-1.5 align-top',
        header && 'bg-muted font-medium',
        align === 'right' ? 'text-right tabular' : align === 'center' ? 'text-center' : 'text-left',
      )}
    >
      {all(tokens, inline)}
    </Cell>
  )
}
