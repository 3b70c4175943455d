/**
 * Keeps sonner from injecting a `<style>` element, which `style-src 'self'` forbids.
 *
 * The same rules come from the package's own `sonner/dist/styles.css`, imported by index.css.
 */
import type { Plugin } from 'vite'

const CALL = /^__insertCSS\(".*"\);?$/m

export function sonnerWithoutStyle(): Plugin {
  return {
    name: 'sonner-without-style',
    transform: {
      filter: { id: /sonner\/dist\/index\.mjs$/ },
      handler(code) {
        if (!CALL.test(code)) throw new Error('sonner no longer injects its styles where this plugin looks for them')
        return { code: code.replace(CALL, ''), map: null }
      },
    },
  }
}
