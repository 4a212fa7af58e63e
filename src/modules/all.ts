/** The modules around the core, each with those it needs: the only file that names them. A module stands behind what it needs. */
export const modules: readonly { name: string; needs: readonly string[] }[] = [
  { name: 'figures', needs: [] },
  { name: 'books', needs: ['figures'] },
  { name: 'proofs', needs: ['books'] },
  { name: 'exports', needs: ['proofs'] },
  { name: 'e-reporting', needs: ['figures'] },
  { name: 'sources', needs: [] },
  { name: 'connectors', needs: ['sources'] },
  { name: 'warnings', needs: [] },
  { name: 'backup', needs: [] },
  { name: 'operations', needs: [] },
  { name: 'console', needs: [] },
  { name: 'simulator', needs: [] },
]
