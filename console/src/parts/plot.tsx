import { memo, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

export type Series = {
  name: string
  values: readonly (number | null)[]
  kind: 'bar' | 'line'
  tone?: 'accent' | 'bad' | 'warn' | 'muted'
}

type Props = {
  labels: readonly string[]
  series: readonly Series[]
  write: (value: number) => string
  isCount: boolean
  /** Positions without data, drawn as a dashed frame. */
  holes: readonly number[]
  /** The position of the pointer. */
  onPoint: (at: number | null) => void
}

const height = 220

const font = '12px system-ui'

/** Returns the width of the axis labels in pixels: the widest of the amounts, plus the gap to the chart. */
function widthOf(texts: readonly string[]): number {
  const canvas = document.createElement('canvas').getContext('2d')
  if (canvas === null) return 74
  canvas.font = font
  return Math.ceil(Math.max(24, ...texts.map((text) => canvas.measureText(text).width))) + 14
}

/** Steps between whole numbers. */
const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

/** Returns a color of the theme; kept in forced colors where the legend distinguishes series by it. */
function colour(name: string, { isKept = false } = {}): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  if (isKept) probe.style.setProperty('forced-color-adjust', 'none')
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Draws a dashed frame over the height of the chart at each position without data. */
function drawHoles({ ctx, bbox, valToPos }: UPlot, holes: readonly number[], stroke: string): void {
  ctx.save()
  ctx.strokeStyle = stroke
  ctx.setLineDash([4, 4])
  for (const at of holes) {
    const [left, right] = [at - 0.35, at + 0.35].map((x) => valToPos(x, 'x', true)) as [number, number]
    ctx.strokeRect(left, bbox.top, Math.max(right - left, 1), bbox.height)
  }
  ctx.restore()
}

function draw(place: HTMLElement, { labels, series, write, isCount, holes, onPoint }: Props): UPlot {
  const muted = colour('muted')
  const grid = colour('line')
  // Two bars at one position are side by side.
  const barred = series.filter(({ kind }) => kind === 'bar')
  const barsOf = (of: Series) =>
    barred.length < 2
      ? UPlot.paths.bars?.({ size: [0.7, 48] })
      : UPlot.paths.bars?.({ size: [0.35, 24], align: of === barred[0] ? -1 : 1 })
  const axis = { stroke: muted, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font }
  // Width of a label below, and how far the last one sticks out.
  const widest = Math.max(60, widthOf(labels))
  const end = widest > 80 ? widest / 2 - 7 : 0
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const amounts = widthOf([write(Math.ceil(most)), write(Math.ceil(most / 2))])
  const options: UPlot.Options = {
    padding: [null, end || null, null, null],
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: {
      drawClear: [(self) => drawHoles(self, holes, muted)],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
    },
    scales: {
      x: { time: false, range: () => [-0.6, labels.length - 0.4] },
      y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.08] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        splits: (_self, _axis, min, max) => {
          const every = Math.max(1, Math.ceil(((max - min) * widest) / Math.max(1, place.clientWidth - amounts - end)))
          return labels.map((_, at) => at).filter((at) => at % every === 0)
        },
        values: (_, splits) => splits.map((at) => labels[at] ?? ''),
      },
      { ...axis, size: amounts, values: (_, splits) => splits.map(write), ...(isCount ? { incrs: wholeSteps } : {}) },
    ],
    series: [
      {},
      ...series.map((one): UPlot.Series => {
        const { name, kind, values, tone = 'accent' } = one
        const bars = barsOf(one)
        const stroke = colour(tone, { isKept: true })
        // Whether a value is between missing ones: a line of one value is drawn as a point.
        const isAlone = (value: number | null, at: number) =>
          value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
        const points = { show: values.some(isAlone), fill: stroke, stroke: colour('surface'), size: 8 }
        if (kind === 'line') return { label: name, stroke, width: 2, points }
        return {
          label: name,
          fill: stroke,
          stroke,
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars }),
        }
      }),
    ],
  }
  const data = [labels.map((_, at) => at), ...series.map(({ values }) => [...values])] as unknown as UPlot.AlignedData
  return new UPlot(options, data, place)
}

/** A canvas of bars and lines in the colors of the theme. Redrawn when width or theme change. */
function PlotOf(props: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let plot = draw(element, props)
    const again = () => {
      plot.destroy()
      plot = draw(element, props)
    }
    const sizes = new ResizeObserver(() => element.clientWidth !== plot.width && again())
    sizes.observe(element)
    const themes = new MutationObserver(again)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const scheme = window.matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', again)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      scheme.removeEventListener('change', again)
      plot.destroy()
    }
  }, [props])
  return <div ref={place} />
}

/** Not redrawn when only the position of the pointer changes. */
export const Plot = memo(PlotOf)
