// Before the first paint: sets the theme (lib/theme.ts takes over from there and keeps the same rules), and hides the
// prerendered page of visitors from people with a session, who get the app instead (main.tsx).
;(function () {
  var stored = null
  var session = false
  try {
    stored = localStorage.getItem('theme')
    session = Object.keys(localStorage).some(function (key) {
      return /^sb-.*-auth-token$/.test(key)
    })
  } catch {
    // Storage is blocked: follow the system.
  }
  var dark = stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
  document.documentElement.classList.toggle('has-session', session)
  var meta = document.querySelector('meta[name="theme-color"]')
  if (meta) meta.setAttribute('content', dark ? '#161512' : '#FAF8F3')
})()
