import type { Reconciliation } from '@tillgate/client'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { foldedClass } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { Proof } from './proof.tsx'

/** The proof of a Z report of a day, loaded when it is unfolded. */
export function DayProof({ id, name }: { id: string; name: string }) {
  const [isOpen, setOpen] = useState(false)
  const read = useApi<Reconciliation>(isOpen ? { path: `/v1/reports/${id}/reconciliation` } : null)
  return (
    <details className={foldedClass} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {isOpen && (
        <Async read={read} rows={4}>
          {(reconciliation) => <Proof reconciliation={reconciliation} onlyDifferences={false} />}
        </Async>
      )}
    </details>
  )
}
