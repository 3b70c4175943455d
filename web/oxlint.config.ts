/** The linter's rules, with the layers of src: app → features → components → data, api → lib, strings. */
import { readdirSync } from 'node:fs'

import { defineConfig, type OxlintOverride } from 'oxlint'

const supabase = ['@supabase/supabase-js', '@/lib/supabase']
const app = ['@/app/**', '@/routes']
const features = ['@/features/**', ...app]
const components = ['@/components/**', ...features]

/** Refuse imports of `never`, and of more than types of `typesOnly`, in `files` other than tests. */
const layer = (files: string, never: string[], typesOnly: string[] = []): OxlintOverride => ({
  files: [files],
  excludeFiles: ['**/*.test.{ts,tsx}'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          { group: never, message: 'A layer imports only lower layers, and a feature no other feature.' },
          { group: typesOnly, allowTypeImports: true, message: 'This layer may import only types from here.' },
          { group: ['../**', '!../**/functions/_shared/**'], message: 'Import through «@/», which shows the layer.' },
        ],
      },
    ],
  },
})

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'react', 'jsx-a11y', 'import', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    eqeqeq: 'error',
    'no-console': ['error', { allow: ['warn', 'error'] }],
    'import/no-cycle': 'error',
    'import/no-unassigned-import': 'off',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'react/react-in-jsx-scope': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    'jsx-a11y/aria-role': ['error', { ignoreNonDOM: true }],
    'no-underscore-dangle': ['error', { allow: ['__SOCIO__', '__BUILD__', '_user_id', '_role'] }],
    'react/no-danger': 'error',
    'react/button-has-type': 'off',
    'react/jsx-no-target-blank': 'error',
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
  },
  overrides: [
    { files: ['src/components/ui/*'], rules: { 'jsx-a11y/heading-has-content': 'off' } },
    { files: ['test/setup.ts'], rules: { 'vitest/no-standalone-expect': 'off' } },
    { files: ['e2e/**'], rules: { 'no-await-in-loop': 'off' } },
    layer('src/{lib,strings}/**', ['@/api/**', ...components], ['@/data/**', ...supabase]),
    layer('src/{api,data}/**', components),
    layer('src/components/**', features, supabase),
    ...readdirSync(new URL('src/features', import.meta.url)).map((name) =>
      layer(`src/features/${name}/**`, [...features, `!@/features/${name}/**`], supabase),
    ),
    layer('src/{app/**,*}', [], supabase),
  ],
  ignorePatterns: ['dist', 'source-maps', 'test-results', 'playwright-report', 'src/data/database.gen.ts'],
})
