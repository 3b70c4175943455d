/**
 * Small papers of every kind that /documents takes, made here: with a text layer, without one, wrapped.
 */
import { crc32 } from 'node:zlib'

import type { Page } from '@playwright/test'

export type Paper = { name: string; mimeType: string; buffer: Buffer }

const paper = (name: string, mimeType: string, content: string | Buffer): Paper => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
})

/** A PDF with a text layer, one page per text. */
export function pdf(name: string, ...pages: string[]): Paper {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((text, index) => {
      const lines = text.split('\n').map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj T*`)
      const drawing = `BT /F1 14 Tf 20 TL 72 760 Td ${lines.join(' ')} ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
      ]
    }),
  ]
  let text = '%PDF-1.7\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return paper(name, 'application/pdf', Buffer.from(text + table + trailer, 'latin1'))
}

/** A picture of a paper: what it says can only be recognised. */
export async function scan(page: Page, name: string, lines: string[]): Promise<Paper> {
  const type = name.endsWith('.png') ? 'image/png' : 'image/jpeg'
  const url = await page.evaluate(
    ([texts, mime]) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1240, height: 200 + texts.length * 80 })
      const context = canvas.getContext('2d')
      if (!context) throw new Error('this browser cannot draw')
      context.fillStyle = 'white'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.fillStyle = 'black'
      context.font = '44px sans-serif'
      for (const [index, text] of texts.entries()) context.fillText(text, 90, 130 + index * 80)
      return canvas.toDataURL(mime, 0.95)
    },
    [lines, type] as const,
  )
  return paper(name, type, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
}

/** A mail, with a paper in it when one is given. */
export function mail(name: string, text: string, attachment?: Paper): Paper {
  const head = 'From: anna@example.it\r\nTo: marco@example.it\r\nSubject: Documenti\r\nMIME-Version: 1.0\r\n'
  const body = `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`
  if (!attachment) return paper(name, 'message/rfc822', head + body)
  const { name: file, mimeType, buffer } = attachment
  const part = `Content-Type: ${mimeType}; name="${file}"\r\nContent-Disposition: attachment; filename="${file}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${buffer.toString('base64')}\r\n`
  return paper(
    name,
    'message/rfc822',
    `${head}Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n${body}\r\n--x\r\n${part}\r\n--x--\r\n`,
  )
}

/** An archive that holds `papers` as they are. */
export function zip(name: string, ...papers: Pick<Paper, 'name' | 'buffer'>[]): Paper {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name: file, buffer } of papers) {
    const title = Buffer.from(file)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    // Names are UTF-8.
    common.writeUInt16LE(0x800, 2)
    common.writeUInt16LE(0x5a21, 8)
    common.writeUInt32LE(crc32(buffer), 10)
    common.writeUInt32LE(buffer.length, 14)
    common.writeUInt32LE(buffer.length, 18)
    common.writeUInt16LE(title.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, title, buffer])
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, tail, title]))
    files.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(papers.length, 4)
  end.writeUInt16LE(papers.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return paper(name, 'application/zip', Buffer.concat([...files, list, Buffer.from('PK\u0005\u0006'), end]))
}

const part = (name: string, content: string) => ({ name, buffer: Buffer.from(content) })

/** A text document of a word processor. */
export function docx(name: string, text: string): Paper {
  const main = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const { buffer } = zip(
    name,
    part(
      '[Content_Types].xml',
      `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}.main+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    ),
    part(
      'word/document.xml',
      `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`,
    ),
  )
  return paper(name, main, buffer)
}

export const note = (name: string, text: string): Paper => paper(name, 'text/plain', text)
