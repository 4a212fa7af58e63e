/** The systems whose documents are read, as `--from` names them: the first two by a map that a person writes (`all.ts`). */
export const sourceNames = ['csv', 'singer', 'square', 'toast', 'sumup', 'lightspeed-k', 'loyverse', 'dsfinvk'] as const
