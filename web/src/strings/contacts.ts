/** Where people write to us. */
export const supportEmail = 'supporto@socio.example'
