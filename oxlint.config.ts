import { defineConfig } from 'oxlint'
import { walls } from './scripts/walls.ts'

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  options: {
    typeAware: true,
  },
  categories: {
    correctness: 'error',
    suspicious: 'error',
    perf: 'error',
  },
  rules: {
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
    'no-await-in-loop': 'off',
    'typescript/no-floating-promises': 'error',
    'no-console': 'error',
    'no-shadow': 'off',
    'import/no-unassigned-import': 'off',
    'max-params': [
      'error',
      {
        max: 4,
      },
    ],
    'max-lines': [
      'error',
      {
        max: 400,
        skipBlankLines: false,
        skipComments: false,
      },
    ],
    'typescript/no-unsafe-type-assertion': 'off',
    'oxc/no-map-spread': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
    'typescript/require-array-sort-compare': [
      'error',
      {
        ignoreStringArrays: true,
      },
    ],
    'no-unmodified-loop-condition': 'off',
    'typescript/unbound-method': 'off',
  },
  ignorePatterns: ['dist', 'descriptions', 'runtimes', 'client/src/api.ts', 'bench/peers', 'node_modules'],
  overrides: [
    ...walls,
    {
      files: ['src/**', 'connectors/**', 'simulator/**'],
      rules: {
        'max-lines-per-function': [
          'error',
          {
            max: 60,
            skipBlankLines: true,
            skipComments: true,
          },
        ],
      },
    },
    {
      files: ['console/src/**'],
      plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y'],
      rules: {
        'react/no-danger': 'error',
        'react/react-in-jsx-scope': 'off',
        'react/no-unstable-nested-components': 'off',
        'react/purity': 'off',
        'react/capitalized-calls': 'off',
        'react/exhaustive-effect-dependencies': 'off',
        'jsx-a11y/control-has-associated-label': 'off',
        'react/set-state-in-effect': 'off',
        'unicorn/require-post-message-target-origin': 'off',
        'jsx-a11y/prefer-tag-over-role': 'off',
        'jsx-a11y/no-noninteractive-tabindex': 'off',
        'no-restricted-globals': ['error', 'EventSource'],
      },
    },
    {
      files: [
        'client/examples/**',
        'console/vite.config.ts',
        'src/core/cli/**',
        'src/modules/*/cli/**',
        'simulator/cli/**',
        'scripts/**',
        'bench/**',
        'test/**',
      ],
      rules: {
        'no-console': 'off',
      },
    },
    {
      files: ['docs/verify/verify.mjs'],
      rules: {
        'max-lines': 'off',
      },
    },
    {
      files: ['test/**', 'mcp/test/**'],
      rules: {
        'max-lines': 'off',
        'max-params': 'off',
        'no-restricted-imports': [
          'error',
          {
            paths: [
              {
                name: 'node:test',
                importNames: ['default', 'it'],
                message: "import { test, describe } from 'node:test': one way to write a test",
              },
            ],
          },
        ],
        'typescript/no-floating-promises': [
          'error',
          {
            allowForKnownSafeCalls: [
              {
                from: 'package',
                name: ['test', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
                package: 'node:test',
              },
            ],
          },
        ],
        'import/no-named-as-default-member': 'off',
        'import/no-named-as-default': 'off',
        'typescript/no-unnecessary-type-assertion': 'off',
        'typescript/no-unnecessary-type-parameters': 'off',
        'unicorn/prefer-array-find': 'off',
      },
    },
  ],
})
