import { useState } from 'react'
import { Problem } from '../api/problem.ts'
import { useLanguage, useT } from '../i18n/language.tsx'
import { Button } from './button.tsx'
import { fileForms, saveCsv, type FileCell, type FileForm } from './csv.ts'
import { Failure } from './states.tsx'

/** Keeps letters, digits and dots of any language, which every system accepts in file names. */
const fileName = (text: string) => text.replaceAll(/[^\p{L}\p{N}.]+/gu, '-').replaceAll(/^-|-$/g, '')

/** Saves rows as a file, for a spreadsheet in the user's language or for a program. */
export function FileButtons({ name, rows }: { name: string; rows: () => Promise<readonly (readonly FileCell[])[]> }) {
  const { common } = useT()
  const language = useLanguage()
  const [making, setMaking] = useState<FileForm | null>(null)
  const [failed, setFailed] = useState<{ form: FileForm; problem: Problem } | null>(null)
  const save = async (form: FileForm) => {
    setMaking(form)
    setFailed(null)
    try {
      saveCsv(fileName(name), await rows(), { form, language })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setFailed({ form, problem: error })
    } finally {
      setMaking(null)
    }
  }
  return (
    <>
      {fileForms.map((form) => (
        <Button
          key={form}
          kind="quiet"
          disabled={making !== null}
          aria-label={common.named(common.files[form], name)}
          title={common.filesHelp[form]}
          onClick={() => void save(form)}
        >
          {making === form ? common.loading : common.files[form]}
        </Button>
      ))}
      {failed !== null && <Failure problem={failed.problem} retry={() => void save(failed.form)} />}
    </>
  )
}
