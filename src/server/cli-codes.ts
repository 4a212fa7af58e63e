/**
 * The closed table of the codes that `--json` gives a script when a command fails, beside those of the API when a
 * server refused. `docs/operations.md` has the same table; a test holds the two together.
 */
export const cliCodes = {
  usage: 'a flag, an argument or a value is not right',
  config_invalid: 'a setting is not right; every one is named',
  internal_error: 'something went wrong that no code names; `TILLGATE_DEBUG=1` shows where',
  refused: 'a server refused, and did not say why in a problem document',
  server_unreachable: 'the server does not answer at that URL',
  output_failed: 'what the command prints or writes cannot be written',
  output_closed: 'the reader of the output went away',
  file_unreadable: 'a file cannot be read',
  data_dir_in_use: 'another process works on the data directory',
  database_missing: 'the data directory holds no database, and this command makes none',
  database_unavailable: 'the database does not answer',
  database_error: 'the database answers, and cannot be used',
  database_too_old: 'the PostgreSQL server is older than 15',
  database_too_new: 'the database was made by a newer Tillgate',
  database_is_worker: 'the database is a Citus worker: name the coordinator',
  database_time_zone: 'a pooler keeps the session from UTC',
  embedded_database: 'the embedded PostgreSQL could not be started',
  other_database: 'what runs there works on another database',
  port_in_use: 'something listens on the port',
  port_forbidden: 'the user may not listen on the port',
  host_unknown: 'the address is not one of this machine',
  operations_address_unusable: 'the address for operations cannot be listened on',
  worker_ended: 'a worker process ended before it was ready',
  location_not_found: 'there is no such location',
  location_exists: 'there is such a location',
  location_missing: 'the file does not say which location its records belong to',
  key_not_found: 'there is no such key',
  key_ended: 'the key was revoked or has expired',
  webhook_not_found: 'there is no such webhook',
  sequence_ahead: 'the number lies beyond the head of the journal',
  sample_refused: 'the sample could not be stored',
  backup_invalid: 'the backup is not one, or not whole',
  backup_damaged: 'the backup was changed after it was written',
  backup_passphrase: 'the passphrase is not the one of the backup',
  backup_foreign: 'the backup is of another kind or version',
  target_not_empty: 'the target of a restore holds data',
} as const satisfies Record<string, string>

export type CliCode = keyof typeof cliCodes
