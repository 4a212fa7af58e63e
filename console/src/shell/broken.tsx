import type { ErrorComponentProps } from '@tanstack/react-router'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Foreign } from '../parts/text.tsx'

/** A screen that could not be rendered: a fault of the console. The rest keeps working. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const { shell, common } = useT()
  return (
    <Page title={shell.broken}>
      <Empty title={shell.brokenText}>
        <p>
          <code>
            <Foreign text={error instanceof Error ? error.message : String(error)} />
          </code>
        </p>
        <Button onClick={reset}>{common.tryAgain}</Button>
      </Empty>
    </Page>
  )
}
