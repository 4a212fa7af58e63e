import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Series } from './chart.tsx'

type Props = { labels: readonly string[]; series: readonly Series[]; write: (value: number) => string }

const height = 220

/** Pixels for what stands beside the chart. */
const amounts = 74

function colour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function draw(place: HTMLElement, { labels, series, write }: Props): UPlot {
  const muted = colour('muted')
  const grid = colour('line')
  const bars = UPlot.paths.bars?.({ size: [0.7, 48] })
  const axis = { stroke: muted, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '12px system-ui' }
  // So much room has a label below, about, and the end of the last one.
  const widest = Math.max(60, ...labels.map(({ length }) => length * 7 + 12))
  const options: UPlot.Options = {
    padding: [null, widest > 80 ? widest / 3 : null, null, null],
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
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
          const every = Math.max(1, Math.ceil(((max - min) * widest) / Math.max(1, place.clientWidth - amounts)))
          return labels.map((_, at) => at).filter((at) => at % every === 0)
        },
        values: (_, splits) => splits.map((at) => labels[at] ?? ''),
      },
      { ...axis, size: amounts, values: (_, splits) => splits.map(write) },
    ],
    series: [
      {},
      ...series.map(({ name, kind, tone = 'accent' }): UPlot.Series => {
        const stroke = colour(tone)
        // A line of one value is a point.
        const points = { show: labels.length === 1, fill: stroke, size: 8 }
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

/** A canvas of bars and lines in the colours of the theme. Drawn anew when width or theme change. */
export function Plot(props: Props) {
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
