-- The core: locations, their keys, the journal and what follows from it, webhooks, and the log of access. A file for each
-- module follows. Numbers begin at 100: unreleased builds counted to 36, and their databases are not upgraded.
-- One location is one shard: every table leads with location_id, but api_keys and those of the console.

-- Restaurants. Each is a tenant: everything else belongs to one.
create table locations (
  id uuid primary key,
  -- With the devices, as the journal has it, and without, as it is read unless they are asked for.
  document text not null,
  without_devices text not null,
  time_zone text not null,
  currency text not null,
  -- Local time at which a business day begins, and the first day of the fiscal year (MM-DD).
  day_starts_at text not null,
  fiscal_year_starts text not null,
  seq bigint not null,
  created_at timestamptz not null,
  -- Nobody reads or writes it from then on; null while it is in use.
  deactivated_at timestamptz,
  -- The category of French e-reporting of each kind of service that has another one than usual: a JSON object.
  e_reporting_categories text not null default '{}',
  -- Devices that were taken out of service, by id or name, with the business day of it: a JSON object.
  retired_devices text not null default '{}',
  -- What payments are, by name, and whether the numbers of Z reports follow one another (docs/contract/money.md).
  payment_kinds text not null default '{}',
  report_numbers text not null default 'consecutive',
  -- When a deactivated location is deleted with all that it has; null for one that is not to be.
  delete_at timestamptz,
  constraint locations_currency check (currency ~ '^[A-Z]{3}$'),
  constraint locations_day_starts_at check (day_starts_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  constraint locations_fiscal_year_starts check (fiscal_year_starts ~ '^(0[1-9]|1[0-2])-([0-2][0-9]|3[01])$'),
  constraint locations_report_numbers check (report_numbers in ('consecutive', 'any'))
);

-- API keys, by the SHA-256 of the key. A key of the installation has the nil UUID as its location, which no location has,
-- and admin is all that it may.
create table api_keys (
  id uuid primary key,
  hash text not null unique,
  -- The last characters of the key, by which people tell keys apart.
  hint text not null,
  name text not null,
  location_id uuid not null,
  recipient_id uuid,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- Not used: whether a location is in use is asked of the location. Backups of unreleased builds have it.
  suspended_at timestamptz,
  -- Rights end with what they are about: a key of scope admin ends with the session or key that made it. Null where the
  -- command line did.
  made_by text,
  constraint api_keys_hash check (length(hash) = 64),
  constraint api_keys_scopes check (cardinality(scopes) > 0),
  constraint api_keys_admin check ((scopes = '{admin}') = (location_id = '00000000-0000-0000-0000-000000000000'))
);
create index api_keys_made_by on api_keys (made_by) where made_by is not null;

-- Counter and head of each location's journal. Writers of a location take this row first and hold it to commit.
create table location_seq (
  location_id uuid primary key,
  -- Tells this journal from another of the same location, in a database that was made anew: it is in every event id, and
  -- the hashes cover it.
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  -- That of the last entry; null before the first.
  last_accepted_at timestamptz,
  -- That of the server which wrote last: a replica that was promoted has another, and may lack what was written last.
  timeline text,
  -- What is blanked in whatever a till sends, since it was redacted: a JSON array of rules, null for none.
  erasures text,
  -- A journal that continues after going back begins an epoch: event ids and positions of the feed carry it from its
  -- `resumed` entry on. Null while the journal has never resumed with an epoch of its own.
  current_epoch text,
  current_from bigint,
  constraint location_seq_epoch check (epoch ~ '^[0-9a-f]{8}$'),
  constraint location_seq_current check (
    (current_epoch is null) = (current_from is null) and (current_epoch is null or current_epoch ~ '^[0-9a-f]{8}$')
  )
);

-- All that was accepted, in order, chained by hashes. Everything else of a location follows from it, but for keys,
-- webhooks, the log of access, and lists of what was refused or warned of.
create table journal (
  location_id uuid not null,
  seq bigint not null,
  accepted_at timestamptz not null,
  kind text not null,
  id uuid not null,
  -- The entry before of the same (kind, id): the history of one resource is a walk along primary keys.
  prev_seq bigint,
  types text[] not null,
  -- Null where the document of an order was put aside: it lies in an archive outside of the database, and the entry stays,
  -- with its hash and commitment.
  document text,
  -- commitment is SHA-256 of salt and document as accepted. Where a redaction blanked the document, the salt is a new one,
  -- and the entry of the redaction has the commitment of what stands here now.
  salt text not null,
  commitment text not null,
  hash text not null,
  primary key (location_id, seq),
  constraint journal_seq check (seq > 0 and (prev_seq is null or prev_seq < seq))
);
-- The few entries that are about the journal itself.
create index journal_marks on journal (location_id, seq) where kind in ('resumed', 'redaction');
-- What the journal said of a business day, by its id.
create index journal_days on journal (location_id, id, seq) where kind = 'day';

-- The newest version of each order, with columns for what orders are found by. Texts are cut as
-- src/core/domain/documents/filter-text.ts does it, for an entry of an index has a limit.
create table orders (
  location_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  closed boolean not null,
  report_id uuid,
  -- What the stored version says: the next one means an event when it says more.
  canceled boolean not null,
  transferred boolean not null,
  -- order.paid was meant once; it is never meant twice.
  paid boolean not null,
  seq bigint not null,
  document text not null,
  number text collate "C" not null,
  device_id uuid not null,
  operator_id uuid not null,
  channel text collate "C" not null,
  service_type text collate "C" not null,
  training boolean not null,
  -- The second key of an order of another system: source, shop and order there. The same sale under another id is refused.
  external_key uuid,
  -- The document of this version stands here and not in the journal, whose entry was put aside.
  alone boolean not null default false,
  primary key (location_id, id),
  constraint orders_closed check (closed = (closed_at is not null))
);
-- The filters that let many orders through are counted from the index alone; a number lets few through.
create index orders_created
  on orders (location_id, created_at, id, closed, device_id, operator_id, channel, service_type, training);
create index orders_number on orders (location_id, number, created_at, id);
create index orders_open on orders (location_id, created_at, id) where not closed;
create index orders_report on orders (location_id, report_id, created_at, id) where report_id is not null;
create unique index orders_external on orders (location_id, external_key) where external_key is not null;
-- Figures count an order by the moment at which it was closed, so it is found by that moment, whenever it was created.
create index orders_closed on orders (location_id, closed_at, id) where closed;
-- A canceled order that was never closed belongs to the day on which it was opened. Stored times have one form, so their
-- text sorts as they do.
create index orders_canceled on orders (location_id, (substring(document from '"openedAt":"([^"]+)"') collate "C"), id)
  where canceled and not closed;
-- Several refunds of one sale are added up, so they are found by the sale that they name. A quote in a till's text is
-- escaped, so the pair occurs only where the field is.
create index orders_refunds on orders (location_id, (lower(substring(document from '"refundOf":"([^"]+)"'))))
  where strpos(document, '"refundOf":"') > 0;

-- The newest version of each Z report.
create table reports (
  location_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null,
  document text not null,
  -- The number by which people look for it.
  number bigint not null,
  primary key (location_id, id)
);
create index reports_created on reports (location_id, created_at, id);
create index reports_number on reports (location_id, number, created_at, id);

-- The four lists of the catalog, each as it was pushed last.
create table catalog (
  location_id uuid not null,
  list text not null,
  seq bigint not null,
  document text not null,
  primary key (location_id, list),
  constraint catalog_list check (list in ('products', 'modifiers', 'payments', 'taxes'))
);

-- How many resources of a kind were created on a UTC day: totalCount and deep pages are sums over these rows.
create table day_counts (
  location_id uuid not null,
  kind text not null,
  day date not null,
  n bigint not null,
  -- The journal head when the row last changed, so that a reader refreshes only what moved.
  seq bigint not null,
  primary key (location_id, kind, day),
  constraint day_counts_kind check (kind in ('order.closed', 'order.open', 'report')),
  constraint day_counts_n check (n >= 0)
);
-- A reader's refresh after a push: the few days that changed, among years of them.
create index day_counts_seq on day_counts (location_id, seq);

-- Records of tills that were refused, with the reasons. Pruned by age and number.
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

-- A webhook is a cursor on its location's journal: publishing an event writes no row here.
create table webhooks (
  location_id uuid not null,
  id uuid not null,
  recipient_id uuid not null,
  -- Of the attempts before it the recipient is told nothing: they were another's.
  recipient_since timestamptz not null,
  events text[] not null,
  endpoint_url text not null,
  -- What people call it; null where nobody named it.
  name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text not null,
  -- The secret before a rotation, with which deliveries are signed as well until then.
  previous_secret text,
  previous_secret_until timestamptz,
  -- Every event up to this journal number is delivered or stands in webhook_retries.
  cursor bigint not null,
  -- Where the cursor stood when a replay set it back: up to there events are sent again. Null when there was no replay.
  replayed_to bigint,
  state text not null,
  disabled_reason text,
  disabled_at timestamptz,
  -- Failures since the last success; from 5 on the webhook only probes.
  failures int not null,
  failing_since timestamptz,
  -- When the next event set aside is due.
  retry_at timestamptz,
  -- Only the holder of the token moves the cursor, until the lease ends. Null after every change of the webhook.
  lease_token uuid,
  lease_until timestamptz,
  primary key (location_id, id),
  constraint webhooks_events check (cardinality(events) > 0),
  constraint webhooks_state check (state in ('enabled', 'disabled')),
  constraint webhooks_cursor check (cursor >= 0)
);
create index webhooks_id on webhooks (id);
create index webhooks_created on webhooks (location_id, created_at, id);

-- Events set aside: one that failed, and later ones of the same resource that wait behind it (next_at null).
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

-- The delivery log. document is the Delivery as the API shows it, serialised.
create table webhook_attempts (
  location_id uuid not null,
  webhook_id uuid not null,
  at timestamptz not null,
  id uuid not null,
  seq bigint not null,
  type text not null,
  ok boolean not null,
  document text not null,
  -- What statistics of deliveries are made of.
  duration_ms double precision,
  error_class text,
  primary key (location_id, webhook_id, at, id)
);

-- The log of access, its heads and its entries: who read what, and what was done by hand, chained like the journal, so that
-- an entry that is changed or removed shows.
create table access_heads (
  location_id uuid primary key,
  last_seq bigint not null,
  last_hash text not null,
  last_at timestamptz not null,
  -- The last entry whose time was over and which is gone: the chain is checked from here on.
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
-- What was done by hand at all locations is read newest first, beside the log of each.
create index access_acts on access_entries (at, seq, id) where kind = 'act';

-- Ranges of the journal whose documents were put aside and have not come back, as the journal has them.
create table asides (
  location_id uuid not null,
  from_seq bigint not null,
  to_seq bigint not null,
  -- Number of the entry that says so.
  seq bigint not null,
  archive text not null,
  sha256 text not null,
  documents int not null,
  bytes bigint not null,
  -- The last day of which an order was put aside.
  last_day date not null,
  primary key (location_id, from_seq)
);

-- Numbers that were acknowledged and are not in the journal, since the database went back to an older state.
create table losses (
  location_id uuid not null,
  -- The entry with which the journal resumed after it.
  sequence bigint not null,
  from_seq bigint not null,
  to_seq bigint not null,
  found_at timestamptz not null,
  -- It stays told until somebody has acknowledged it.
  acknowledged_at timestamptz,
  primary key (location_id, sequence)
);

-- Journals that were deleted with their locations, and where they ended: a backup tells a deletion from another database by
-- it.
create table deleted_locations (
  location_id uuid not null,
  -- That in which it ended, and the first one where it came back from a backup before and has another; null where it is the first.
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  deleted_at timestamptz not null,
  first_epoch text,
  primary key (location_id, epoch)
);

-- When a location was last backed up, and last proved whole.
create table upkeep (
  location_id uuid not null,
  work text not null,
  at timestamptz not null,
  -- Whether it ended well, and when it last did.
  ok boolean not null,
  succeeded_at timestamptz,
  primary key (location_id, work),
  constraint upkeep_work check (work in ('backup', 'verify'))
);
