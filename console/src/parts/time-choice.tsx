import { Filter } from './filters.tsx'
import { useFormat } from './place.tsx'

type Props = { label: string; value: string | undefined; onChange: (value: string | undefined) => void }

/** One weekday of the business days, or all of them. */
export function WeekdayChoice({ label, value, onChange }: Props) {
  const format = useFormat()
  const weekdays = ['1', '2', '3', '4', '5', '6', '7'].map((day) => [day, format.weekday(Number(day))] as const)
  return <Filter label={label} value={value} choices={weekdays} onChange={onChange} />
}

/** An hour of the clock, in the order of a business day. */
export function HourChoice({ label, value, onChange }: Props) {
  const { place } = useFormat()
  const first = Number(place.dayStartsAt.slice(0, 2))
  const hours = Array.from({ length: 24 }, (_, n) => String((first + n) % 24).padStart(2, '0'))
  return (
    <Filter
      label={label}
      value={value}
      choices={hours.map((hour) => [hour, `${hour}:00`] as const)}
      onChange={onChange}
    />
  )
}
