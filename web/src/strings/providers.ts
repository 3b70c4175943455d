/** Names of accounts elsewhere, as their owners write them. */

const names: Record<string, string> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  email: 'Email e password',
  facebook: 'Facebook',
  figma: 'Figma',
  fly: 'Fly.io',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  kakao: 'Kakao',
  keycloak: 'Keycloak',
  linkedin: 'LinkedIn',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  phone: 'Telefono',
  slack: 'Slack',
  slack_oidc: 'Slack',
  snapchat: 'Snapchat',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'X',
  workos: 'WorkOS',
  x: 'X',
  zoom: 'Zoom',
}

/** The name of `provider`; one that an operator has added goes by its own identifier. */
export function providerName(provider: string): string {
  return names[provider] ?? provider.replace(/^custom:/, '')
}
