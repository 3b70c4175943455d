/** Whether passkeys and security keys can work here. */

/** A credential belongs to a domain (WebAuthn 5.1.2): at a bare IP address every browser refuses. */
export function canUseWebAuthn(): boolean {
  const { hostname } = window.location
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return window.isSecureContext && 'PublicKeyCredential' in window && !isAddress
}
