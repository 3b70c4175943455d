import { expect, test } from 'vitest'

import { redirectFailure } from '@/lib/redirect-failure'

test.each([
  [
    'the fragment',
    { hash: '#error=access_denied&error_code=user_banned&error_description=User+is+banned&sb=', search: '' },
    { code: 'user_banned', message: 'User is banned' },
  ],
  ['the query', { hash: '', search: '?error=access_denied' }, { code: 'access_denied', message: '' }],
  ['neither', { hash: '#contenuto', search: '?tab=1' }, null],
])('a failure is read from %s', (_where, location, failure) => {
  expect(redirectFailure(location)).toEqual(failure)
})
