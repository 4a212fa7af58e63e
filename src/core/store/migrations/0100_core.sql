-- The core: locations, their keys, the journal and the tables that are derived from it, webhooks, and the access log.
-- Each module has a file of its own after this one. Numbers begin at 100: unreleased builds counted to 36, and their
-- databases are not upgraded. A location is one shard: all tables have the location first in their key, except api_keys
-- and the tables of the console.

-- Restaurants. Each is a tenant: all other data belongs to a restaurant.
create table locations (
  id uuid primary key,
  -- The document with the devices, as in the journal, and without them, as a read returns it by default.
  document text not null,
  without_devices text not null,
  time_zone text not null,
  currency text not null,
  -- Local time at which a business day begins, and the first day of the fiscal year (MM-DD).
  day_starts_at text not null,
  fiscal_year_starts text not null,
  seq bigint not null,
  created_at timestamptz not null,
  -- From this time on, its data is neither read nor written; null while the location is in use.
  deactivated_at timestamptz,
  -- The categories of French e-reporting that differ from the default ones, by kind of service: a JSON object.
  e_reporting_categories text not null default '{}',
  -- Devices that were taken out of service, by id or name, with the business day of their retirement: a JSON object.
  retired_devices text not null default '{}',
  -- The kinds of payments, by name; and whether the numbers of a till's Z reports are consecutive
  -- (docs/contract/money.md).
  payment_kinds text not null default '{}',
  report_numbers text not null default 'consecutive',
  -- When a deactivated location is deleted with all its data; null if no deletion is scheduled.
  delete_at timestamptz,
  constraint locations_currency check (currency ~ '^[A-Z]{3}$'),
  constraint locations_day_starts_at check (day_starts_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  constraint locations_fiscal_year_starts check (fiscal_year_starts ~ '^(0[1-9]|1[0-2])-([0-2][0-9]|3[01])$'),
  constraint locations_report_numbers check (report_numbers in ('consecutive', 'any'))
);

-- API keys, by the SHA-256 of the key. A key of the installation has the nil UUID, which no location has, as its
-- location, and admin as its only scope.
create table api_keys (
  id uuid primary key,
  hash text not null unique,
  -- The first characters of the key, by which people recognize it.
  hint text not null,
  name text not null,
  location_id uuid not null,
  recipient_id uuid,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- Not used: the row of the location says if the location is in use. Backups of unreleased builds have this.
  suspended_at timestamptz,
  -- A key of scope admin ends with the session or key that made it: its id. Null if the command line made the key.
  made_by text,
  constraint api_keys_hash check (length(hash) = 64),
  constraint api_keys_scopes check (cardinality(scopes) > 0),
  constraint api_keys_admin check ((scopes = '{admin}') = (location_id = '00000000-0000-0000-0000-000000000000'))
);
create index api_keys_made_by on api_keys (made_by) where made_by is not null;

-- Counter and head of each location's journal. A writer locks this row before all other rows and holds it until commit.
create table location_seq (
  location_id uuid primary key,
  -- Distinguishes this journal from another journal of the same location, for example in a database that was created
  -- again. Every event id contains it, and the hashes cover it.
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  -- Time of the last entry; null before the first.
  last_accepted_at timestamptz,
  -- Timeline of the server that wrote last. A promoted replica has another timeline, and may lack the last entries.
  timeline text,
  -- What redactions blank in every later push: a JSON array of rules, null for none.
  erasures text,
  -- The current epoch, and the number of the `resumed` entry with which it began, when the journal continued after a
  -- restore to an earlier state. Null while the first epoch lasts.
  current_epoch text,
  current_from bigint,
  constraint location_seq_epoch check (epoch ~ '^[0-9a-f]{8}$'),
  constraint location_seq_current check (
    (current_epoch is null) = (current_from is null) and (current_epoch is null or current_epoch ~ '^[0-9a-f]{8}$')
  )
);

-- Every accepted change, in order, chained by hashes. All other tables of a location are derived from it, except keys,
-- webhooks, the access log, rejected records and warnings.
create table journal (
  location_id uuid not null,
  seq bigint not null,
  accepted_at timestamptz not null,
  kind text not null,
  id uuid not null,
  -- The previous entry of the same (kind, id): the history of one resource is a walk along primary keys.
  prev_seq bigint,
  types text[] not null,
  -- Null if the document of an order was archived: it is in a file outside the database. The entry stays, with its hash
  -- and commitment.
  document text,
  -- commitment is SHA-256 of salt and document as accepted. If a redaction blanked the document, salt is a new one, and
  -- the entry of the redaction has the commitment of the blanked document.
  salt text not null,
  commitment text not null,
  hash text not null,
  primary key (location_id, seq),
  constraint journal_seq check (seq > 0 and (prev_seq is null or prev_seq < seq))
);
-- The few entries about the journal itself.
create index journal_marks on journal (location_id, seq) where kind in ('resumed', 'redaction');
-- Entries about a business day, by its id.
create index journal_days on journal (location_id, id, seq) where kind = 'day';

-- The latest version of each order, with columns to find it by. Texts are cut as in
-- src/core/domain/documents/filter-text.ts, because the size of an index entry is limited.
create table orders (
  location_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  closed boolean not null,
  report_id uuid,
  -- State of the stored version: the next version causes an event if this changes to true.
  canceled boolean not null,
  transferred boolean not null,
  -- order.paid was sent; it is sent once per order.
  paid boolean not null,
  seq bigint not null,
  document text not null,
  number text collate "C" not null,
  device_id uuid not null,
  operator_id uuid not null,
  channel text collate "C" not null,
  service_type text collate "C" not null,
  training boolean not null,
  -- Second key of an order from another system: its source, shop and order there. The same sale with another id is
  -- refused.
  external_key uuid,
  -- Whether only this row has the document, because that of the journal entry was archived.
  alone boolean not null default false,
  primary key (location_id, id),
  constraint orders_closed check (closed = (closed_at is not null))
);
-- Filters that match many orders are counted from the index alone; a number matches few.
create index orders_created
  on orders (location_id, created_at, id, closed, device_id, operator_id, channel, service_type, training);
create index orders_number on orders (location_id, number, created_at, id);
create index orders_open on orders (location_id, created_at, id) where not closed;
create index orders_report on orders (location_id, report_id, created_at, id) where report_id is not null;
create unique index orders_external on orders (location_id, external_key) where external_key is not null;
-- Figures count an order on the day on which it was closed, so they find it by `closed_at`.
create index orders_closed on orders (location_id, closed_at, id) where closed;
-- A canceled order that was never closed belongs to the day on which it was opened. Stored times have one form, so
-- their texts sort like the times.
create index orders_canceled on orders (location_id, (substring(document from '"openedAt":"([^"]+)"') collate "C"), id)
  where canceled and not closed;
-- All refunds of one sale are added up, so they are found by the sale that they name. Quotes in texts of tills are
-- escaped, so this pattern only matches the field.
create index orders_refunds on orders (location_id, (lower(substring(document from '"refundOf":"([^"]+)"'))))
  where strpos(document, '"refundOf":"') > 0;

-- The latest version of each Z report.
create table reports (
  location_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null,
  document text not null,
  -- The number by which people search for the report.
  number bigint not null,
  primary key (location_id, id)
);
create index reports_created on reports (location_id, created_at, id);
create index reports_number on reports (location_id, number, created_at, id);

-- The four lists of the catalog, each as last pushed.
create table catalog (
  location_id uuid not null,
  list text not null,
  seq bigint not null,
  document text not null,
  primary key (location_id, list),
  constraint catalog_list check (list in ('products', 'modifiers', 'payments', 'taxes'))
);

-- Number of resources of a kind that were created on a UTC day: totalCount and deep pages are sums over these rows.
create table day_counts (
  location_id uuid not null,
  kind text not null,
  day date not null,
  n bigint not null,
  -- The journal head when the row last changed, so that a reader rereads only changed rows.
  seq bigint not null,
  primary key (location_id, kind, day),
  constraint day_counts_kind check (kind in ('order.closed', 'order.open', 'report')),
  constraint day_counts_n check (n >= 0)
);
-- For readers after a push: the few changed days among those of many years.
create index day_counts_seq on day_counts (location_id, seq);

-- Rejected records of tills, with the reasons. Limited by age and number.
create table rejected_records (
  location_id uuid not null,
  id uuid not null,
  received_at timestamptz not null,
  key_id uuid,
  line bigint not null,
  code text not null,
  detail text not null,
  errors text not null,
  record text not null,
  primary key (location_id, id)
);
create index rejected_records_received on rejected_records (location_id, received_at, id);

-- A webhook is a cursor on its location's journal: an event adds no row here.
create table webhooks (
  location_id uuid not null,
  id uuid not null,
  recipient_id uuid not null,
  -- The recipient does not see attempts made before this time: they were made for another recipient.
  recipient_since timestamptz not null,
  events text[] not null,
  endpoint_url text not null,
  -- Name for people; null if there is none.
  name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text not null,
  -- The secret before a rotation, and the time until which it also signs deliveries.
  previous_secret text,
  previous_secret_until timestamptz,
  -- Every event up to this journal number is delivered or stored in webhook_retries.
  cursor bigint not null,
  -- The cursor before a replay set it back: events up to this number are sent again. Null if there was no replay.
  replayed_to bigint,
  state text not null,
  disabled_reason text,
  disabled_at timestamptz,
  -- Failures since the last success; from 5 on the webhook only gets probes.
  failures int not null,
  failing_since timestamptz,
  -- When the next stored retry is due.
  retry_at timestamptz,
  -- Only the holder of the token moves the cursor, until the lease ends. Null after each change of the webhook.
  lease_token uuid,
  lease_until timestamptz,
  primary key (location_id, id),
  constraint webhooks_events check (cardinality(events) > 0),
  constraint webhooks_state check (state in ('enabled', 'disabled')),
  constraint webhooks_cursor check (cursor >= 0)
);
create index webhooks_id on webhooks (id);
create index webhooks_created on webhooks (location_id, created_at, id);

-- Events stored for a retry: failed events, and later events of the same resource that wait for them (next_at is null).
create table webhook_retries (
  location_id uuid not null,
  webhook_id uuid not null,
  seq bigint not null,
  type text not null,
  kind text not null,
  resource_id uuid not null,
  attempts int not null,
  next_at timestamptz,
  primary key (location_id, webhook_id, seq, type),
  foreign key (location_id, webhook_id) references webhooks (location_id, id) on delete cascade
);

-- The delivery log. document is the serialized Delivery of the API.
create table webhook_attempts (
  location_id uuid not null,
  webhook_id uuid not null,
  at timestamptz not null,
  id uuid not null,
  seq bigint not null,
  type text not null,
  ok boolean not null,
  document text not null,
  -- For the statistics of deliveries.
  duration_ms double precision,
  error_class text,
  primary key (location_id, webhook_id, at, id)
);

-- The access log, its heads and its entries: reads, and acts of operators. Chained like the journal, so that a changed
-- or removed entry is detected.
create table access_heads (
  location_id uuid primary key,
  last_seq bigint not null,
  last_hash text not null,
  last_at timestamptz not null,
  -- The last of the entries that were deleted because of their age: the rest of the chain is verified from here on.
  base_seq bigint not null,
  base_hash text not null
);
create table access_entries (
  location_id uuid not null,
  seq bigint not null,
  id uuid not null,
  at timestamptz not null,
  kind text not null,
  document text not null,
  hash text not null,
  primary key (location_id, seq),
  constraint access_entries_kind check (kind in ('reads', 'act'))
);
-- Acts at all locations are read newest first, in addition to the log of each location.
create index access_acts on access_entries (at, seq, id) where kind = 'act';

-- Intervals of the journal whose documents are archived, according to the journal.
create table asides (
  location_id uuid not null,
  from_seq bigint not null,
  to_seq bigint not null,
  -- Number of the journal entry about the archive.
  seq bigint not null,
  archive text not null,
  sha256 text not null,
  documents int not null,
  bytes bigint not null,
  -- The last day with an archived order.
  last_day date not null,
  primary key (location_id, from_seq)
);

-- Acknowledged numbers that are missing from the journal, because the database was restored to an earlier state.
create table losses (
  location_id uuid not null,
  -- The entry with which the journal resumed after the loss.
  sequence bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  found_at timestamptz not null,
  -- The loss is reported until an operator acknowledges it.
  acknowledged_at timestamptz,
  primary key (location_id, sequence)
);

-- Deleted locations, and where their journals ended: a backup can then distinguish a deletion from another database.
create table deleted_locations (
  location_id uuid not null,
  -- The epoch in which the journal ended. first_epoch is the epoch in which it began; null means the same.
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  deleted_at timestamptz not null,
  first_epoch text,
  primary key (location_id, epoch)
);

-- When a location was last backed up and last verified.
create table upkeep (
  location_id uuid not null,
  work text not null,
  at timestamptz not null,
  -- Whether the last backup or verification succeeded, and the time of the last success.
  ok boolean not null,
  succeeded_at timestamptz,
  primary key (location_id, work),
  constraint upkeep_work check (work in ('backup', 'verify'))
);
