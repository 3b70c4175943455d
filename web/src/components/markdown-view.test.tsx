import { render, screen, within } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, test } from 'vitest'

import MarkdownView from '@/components/markdown-view'

const draw = (text: string) => render(<MarkdownView text={text} />).container

test('lines, emphasis and lists look as they were meant', () => {
  const page = draw('Sentito **oggi**:\nvuole *due* cose\n\n- sito\n- [x] logo\n\n3. poi\n4. infine')
  expect(page.querySelector('strong')?.textContent).toBe('oggi')
  expect(page.querySelector('br')).not.toBeNull()
  expect(page.querySelectorAll('ul > li')).toHaveLength(2)
  expect(page.querySelector('ol')?.start).toBe(3)
  expect((screen.getByRole('checkbox', { name: 'Fatto' }) as HTMLInputElement).disabled).toBe(true)
})

test('a table has headings and aligned figures, code stays as typed', () => {
  draw('| Voce | Euro |\n|---|--:|\n| Sito | 1.200,00 |\n\n```\n<b>if</b>  x\n```')
  const table = within(screen.getByRole('table'))
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Voce', 'Euro'])
  expect(table.getByRole('cell', { name: '1.200,00' }).className).toContain('text-right')
  expect(screen.getByText('<b>if</b> x').textContent).toBe('<b>if</b>  x')
})

test('links open apart, and only to the web, mailboxes and telephones', () => {
  draw(
    '[sito](https://rossi.it) [scrivi](mailto:a@rossi.it) [chiama](tel:+39021234) www.bianchi.it ' +
      '[no](javascript:alert(1)) [no](JaVaScRiPt:x) [no](data:text/html,x) [no](vbscript:x) [no](/settings) [no](//x.it)',
  )
  const links = screen.getAllByRole<HTMLAnchorElement>('link')
  expect(links.map(({ href }) => href)).toEqual([
    'https://rossi.it/',
    'mailto:a@rossi.it',
    'tel:+39021234',
    'http://www.bianchi.it/',
  ])
  expect(links.every(({ rel, target }) => rel.includes('noopener') && target === '_blank')).toBe(true)
})

test('links lead inside only where they may, and only to pages that do nothing by being opened', () => {
  const text =
    '[sì](/projects?vista=obiettivi&mandato=recupero_crediti) [sì](/home#forfettario) [sì](/settings) ' +
    '[no](/auth/confirm?token_hash=x) [no](/documents/../auth/confirm) [no](/settings-x) [no](//home) [no](/\\\\x.it/home)'
  const { rerender } = render(<MarkdownView text={text} leadsInside />, { wrapper: MemoryRouter })
  const links = screen.getAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['sì', '/projects?vista=obiettivi&mandato=recupero_crediti'],
    ['sì', '/home#forfettario'],
    ['sì', '/settings'],
  ])
  expect(links.every((link) => !link.hasAttribute('target'))).toBe(true)
  rerender(<MarkdownView text={text} />)
  expect(screen.queryByRole('link')).toBeNull()
})

test('HTML is shown as text and a picture is never loaded', () => {
  const page = draw(
    '<img src=x onerror=alert(1)> e <b>ciao</b>\n\n<script>x</script>\n\n![logo](https://spia.it/p.png)',
  )
  expect(page.querySelector('img, script, b')).toBeNull()
  expect(page.textContent).toContain('<img src=x onerror=alert(1)>')
  expect(page.textContent).toContain('<script>x</script>')
  expect(screen.getByRole<HTMLAnchorElement>('link', { name: 'logo' }).href).toBe('https://spia.it/p.png')
})

test.each([
  ['nothing typed is lost', '[Rossi]: richiamare'],
  ['entities stay as typed', 'Rossi &amp; figli &copy;'],
  ['names and numbers stay', 'fattura_12_2026 a 3 * 4 * 5, #12'],
])('%s', (_name, text) => {
  expect(draw(text).textContent).toBe(text)
})

test('what is nested too deep to be read is shown as typed', () => {
  const text = '> '.repeat(10_000)
  expect(draw(text).textContent).toBe(text)
})
