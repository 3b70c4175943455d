/**
 * Stands in for the package react-style-singleton, by which Radix locks scrolling behind an open dialog.
 *
 * The package appends a `<style>` element, refused under `style-src 'self'`; a constructed style sheet is
 * script, not markup, so the policy lets it through (https://www.w3.org/TR/CSP3/#directive-style-src).
 */
import { useEffect } from 'react'

type Props = { styles: string; dynamic?: boolean }

/** A component that applies `styles` to the document while at least one instance is mounted. */
export function styleSingleton(): (props: Props) => null {
  let mounted = 0
  let sheet: CSSStyleSheet | null = null

  return function StyleSheet({ styles, dynamic }: Props): null {
    useEffect(() => {
      if (mounted === 0) {
        sheet = new CSSStyleSheet()
        sheet.replaceSync(styles)
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
      }
      mounted += 1
      return () => {
        mounted -= 1
        if (mounted > 0) return
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet)
        sheet = null
      }
      // As in the original, styles are read again only by a component that says it is dynamic.
      // oxlint-disable-next-line react/exhaustive-deps
    }, [dynamic && styles])
    return null
  }
}
