import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/page.tsx'

type Props = { text: string; action: string; isBusy: boolean; onAct: () => void; onCancel: () => void }

/** Counts and sums of what is about to be done and cannot be undone, before the user confirms. */
export function ForGood({ text, action, isBusy, onAct, onCancel }: Props) {
  const { common } = useT()
  return (
    <Notice tone="warn">
      <p>{text}</p>
      <p className="row">
        <Button kind="primary" disabled={isBusy} onClick={onAct}>
          {action}
        </Button>
        <Button onClick={onCancel}>{common.cancel}</Button>
      </p>
    </Notice>
  )
}
