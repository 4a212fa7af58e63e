import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { saveCsv } from './csv.ts'
import type { Series } from './plot.tsx'
import { Table } from './table.tsx'
import styles from './chart.module.css'

type Props = {
  title: string
  /** What the picture says, in a sentence. */
  summary: ReactNode
  /** Head of the labels. */
  axis: string
  labels: readonly string[]
  series: readonly Series[]
  write: (value: number) => string
  /** Beside the picture, where it is written otherwise than in the table. */
  tick?: (value: number) => string
  /** Values are counts: no half of one stands beside the picture. */
  isCount?: boolean
  fileName: string
}

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

/** A picture of figures, with the sentence, the table and the file that say the same. */
export function Chart({ title, summary, axis, labels, series, write, tick = write, isCount = false, fileName }: Props) {
  const { common } = useT()
  const [isTable, setTable] = useState(false)
  const rows = labels.map((label, place) => ({
    label,
    place,
    cells: series.map(({ values }) => values[place] ?? null),
  }))
  const csv = () =>
    saveCsv(fileName, [
      [axis, ...series.map(({ name }) => name)],
      ...rows.map(({ label, cells }) => [label, ...cells.map((cell) => (cell === null ? '' : write(cell)))]),
    ])
  return (
    <figure className={styles.chart} aria-label={title}>
      <figcaption className={styles.caption}>
        <span>{summary}</span>
        <span className={styles.tools}>
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? common.asChart : common.asTable}
          </Button>
          <Button kind="quiet" onClick={csv}>
            CSV
          </Button>
        </span>
      </figcaption>
      {isTable ? (
        <Table
          caption={title}
          hasFile
          rows={rows}
          // The hour that a clock goes through twice has one name.
          keyOf={({ place }) => String(place)}
          columns={[
            { key: 'label', head: axis, cell: ({ label }) => label },
            ...series.map(({ name }, place) => ({
              key: name,
              head: name,
              isNumber: true,
              cell: ({ cells }: (typeof rows)[number]) => {
                const value = cells[place] ?? null
                return value === null ? '–' : write(value)
              },
            })),
          ]}
        />
      ) : (
        <div className={styles.plot} aria-hidden="true">
          <Suspense fallback={<div data-loading />}>
            <Plot labels={labels} series={series} write={tick} isCount={isCount} />
          </Suspense>
        </div>
      )}
      <div className={styles.legend} aria-hidden="true">
        {series.length > 1 &&
          series.map(({ name, kind, tone = 'accent' }) => (
            <span key={name} className={styles.key} data-kind={kind} data-tone={tone}>
              {name}
            </span>
          ))}
      </div>
    </figure>
  )
}
