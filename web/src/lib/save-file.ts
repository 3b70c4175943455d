/** Hands files to the browser as downloads. */

/** A text made here. */
export function saveFile(name: string, text: string, type: string): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))
}

/** Bytes that came by a call with the caller's token. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  saveFrom(url, name)
  URL.revokeObjectURL(url)
}

/** What lies at `url`, whose server says that it is an attachment. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
