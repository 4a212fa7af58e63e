import { Gauge, type Registry } from 'prom-client'
import type { UpkeepSummary } from '../../store/db/upkeep.ts'
import { freeBytes, type DiskRule } from '../disk.ts'
import { gaugesOf } from './facts.ts'

type Facts = { upkeep: UpkeepSummary }

/** Registers when locations were backed up and verified; left out while the database does not answer. */
export function measureUpkeep(registry: Registry, find: () => Promise<Facts | undefined>): void {
  const gauge = gaugesOf(registry, find)
  const seconds = (at: Date | null) => (at === null ? undefined : at.getTime() / 1000)
  gauge(
    'tillgate_backup_last_success_timestamp_seconds',
    'Oldest of the last backups of all locations; a location without one counts from its creation.',
    ({ upkeep: { backupSince } }) => seconds(backupSince),
  )
  gauge(
    'tillgate_verify_last_success_timestamp_seconds',
    'Oldest of the last successful verifications of all locations; a location without one counts from its creation.',
    ({ upkeep: { verifySince } }) => seconds(verifySince),
  )
  gauge('tillgate_verify_failed', 'Locations whose last verification failed.', ({ upkeep }) => upkeep.broken)
}

/** Registers the free space of the embedded database; nothing for an external database. */
export function measureDisk(registry: Registry, disk: DiskRule | undefined): void {
  const registers = [registry]
  void new Gauge({
    name: 'tillgate_disk_free_bytes',
    help: 'Free disk space for the embedded database.',
    labelNames: [],
    registers,
    async collect() {
      const free = disk && (await freeBytes(disk.path).catch(() => undefined))
      if (free === undefined) this.remove()
      else this.set(free)
    },
  })
  const reserve = new Gauge({
    name: 'tillgate_disk_reserve_bytes',
    help: 'Free disk space below which pushes are refused.',
    labelNames: [],
    registers,
  })
  if (disk) reserve.set(disk.reserveBytes)
}
