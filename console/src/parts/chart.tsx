import { lazy, Suspense, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import type { Series } from './plot.tsx'
import { Table } from './table.tsx'
import styles from './chart.module.css'

type Props = {
  title: string
  /** The content of the chart in a sentence. */
  summary: ReactNode
  /** Heading of the labels. */
  axis: string
  labels: readonly string[]
  series: readonly Series[]
  write: (value: number) => string
  /** The text on the axis, if it differs from that in the table. */
  tick?: (value: number) => string
  /** The labels in a file, if they are shortened in the chart: days with their year. */
  fileLabels?: readonly string[]
  /** The value in a file, as a number of major units. */
  toFile?: (value: number) => number | null
  /** Positions of labels without data, drawn as such. */
  holes?: readonly number[]
  /** Values are counts, so the axis has only whole numbers. */
  isCount?: boolean
  fileName: string
}

const noHoles: readonly number[] = []

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

/** A chart of figures, with a sentence, a table and a file of the same content. */
export function Chart(props: Props) {
  const {
    title,
    summary,
    axis,
    labels,
    series,
    write,
    tick = write,
    isCount = false,
    fileName,
    holes = noHoles,
  } = props
  const { fileLabels = labels, toFile = (value: number) => value } = props
  const { common } = useT()
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  const pointed =
    at === null || at >= labels.length
      ? null
      : [labels[at], ...series.map(({ name, values }) => named(name, values[at] ?? null))].join(' · ')
  function named(name: string, value: number | null) {
    return `${series.length > 1 ? `${name} ` : ''}${value === null ? '–' : write(value)}`
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Escape') setAt(null)
    if (step === undefined) return
    event.preventDefault()
    setAt((before) =>
      Math.min(labels.length - 1, Math.max(0, before === null ? (step > 0 ? 0 : labels.length - 1) : before + step)),
    )
  }
  const rows = labels.map((label, place) => ({
    label,
    place,
    cells: series.map(({ values }) => values[place] ?? null),
  }))
  return (
    <figure className={styles.chart} aria-label={title}>
      <figcaption className={styles.caption}>
        <span data-pointed={pointed !== null}>{pointed ?? summary}</span>
        <span className={styles.tools}>
          <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? common.asChart : common.asTable}
          </Button>
        </span>
      </figcaption>
      {isTable ? (
        <Table
          caption={title}
          fileName={fileName}
          rows={rows}
          // When clocks are put back, two hours have the same name.
          keyOf={({ place }) => String(place)}
          columns={[
            { key: 'label', head: axis, cell: ({ label }) => label, file: ({ place }) => fileLabels[place] ?? '' },
            ...series.map(({ name }, place) => ({
              key: name,
              head: name,
              isNumber: true,
              cell: ({ cells }: (typeof rows)[number]) => {
                const value = cells[place] ?? null
                return value === null ? '–' : write(value)
              },
              file: ({ cells }: (typeof rows)[number]) => {
                const value = cells[place] ?? null
                return value === null ? null : toFile(value)
              },
            })),
          ]}
        />
      ) : (
        <div
          className={styles.plot}
          role="slider"
          tabIndex={0}
          aria-label={common.named(title, axis)}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, labels.length - 1)}
          aria-valuenow={at ?? 0}
          aria-valuetext={pointed ?? ''}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(null)}
        >
          <Suspense fallback={<div data-loading />}>
            <Plot labels={labels} series={series} write={tick} isCount={isCount} holes={holes} onPoint={setAt} />
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
