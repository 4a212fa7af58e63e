import type { Command } from 'commander'
import { dataParts } from '../../../core/modules.ts'
import { defineIssues } from './books/issue.ts'
import { defineLooks } from './books/look.ts'

declare module '../../../core/modules.ts' {
  interface ModuleData {
    defineBooks?(command: Command): Promise<void>
  }
}

export async function define(command: Command): Promise<void> {
  defineLooks(command)
  defineIssues(command)
  for (const part of dataParts()) await part.defineBooks?.(command)
}
