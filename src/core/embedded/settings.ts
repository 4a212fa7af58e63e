import { totalmem } from 'node:os'

/** Returns the memory that this process may use, in bytes: the container's limit if there is one. */
export function machineMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/**
 * Returns the server's settings, which are passed on its command line at every start: a new release applies its own
 * settings, and nothing in the cluster's files can open the server to the network. Other settings keep PostgreSQL's
 * default and can be set with ALTER SYSTEM.
 */
export function serverSettings(memoryBytes: number, socketDir: string): Record<string, string> {
  const megabytes = Math.floor(memoryBytes / 2 ** 20)
  return {
    // Reached through the socket only, and the socket through its 0700 directory only.
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '50',

    // Acknowledged means durable. These are the defaults; set here, no file in the cluster can weaken them.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // Apple's fsync stops at the drive's cache; this method does not.
    ...(process.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),

    // An eighth of the memory: 512 MB from 4 GB on (2,960 pages/s, compared with 2,080 for 128 MB), 128 MB at 1 GB.
    // Pages are touched when used, so an idle server stays small.
    shared_buffers: `${Math.min(512, Math.max(32, Math.floor(megabytes / 8)))}MB`,
    effective_cache_size: `${Math.max(64, Math.floor(megabytes / 2))}MB`,
    work_mem: megabytes >= 2048 ? '8MB' : '4MB',
    maintenance_work_mem: megabytes >= 2048 ? '128MB' : '32MB',
    huge_pages: 'try',
    // Statistics grow here and not in /dev/shm, which containers cap at 64 MB and logind empties when a user logs out.
    min_dynamic_shared_memory: '16MB',

    // Writes are mostly inserts. Checkpoints come by time, not by volume, so the WAL of a busy quarter of an hour must fit.
    checkpoint_timeout: '15min',
    max_wal_size: '2GB',
    // A new segment of the log is not filled with zeros first, which would delay commits by 50 to 70 ms (docs/inside/04-database.md).
    wal_init_zero: 'off',
    // Insert-only tables need vacuum too, for index-only scans; small steps often instead of one long run.
    autovacuum_naptime: '30s',
    autovacuum_max_workers: '2',
    autovacuum_vacuum_scale_factor: '0.05',
    autovacuum_vacuum_insert_scale_factor: '0.05',
    autovacuum_analyze_scale_factor: '0.02',
    // 7,500 rows are sampled, with documents of 2.5 kB. The default of 30,000 took 600 ms every half minute of pushes.
    default_statistics_target: '25',

    // Many short queries: compiling them, or spreading one over all cores, costs more than it saves.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // Saves one process: nothing uses logical replication.
    max_logical_replication_workers: '0',
    random_page_cost: '1.1',

    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // A failed statement is logged without its text, which contains the restaurant's data.
    log_min_error_statement: 'panic',
  }
}

/** Returns the settings as arguments of `postgres`. */
export function toArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
