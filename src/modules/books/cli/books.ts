import type { Command } from 'commander'
import { defineClosings } from '../../proofs/cli/close.ts'
import { defineIssues } from './books/issue.ts'
import { defineLooks } from './books/look.ts'

export function define(command: Command): void {
  defineLooks(command)
  defineIssues(command)
  defineClosings(command)
}
