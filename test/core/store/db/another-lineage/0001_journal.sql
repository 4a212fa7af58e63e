-- One location is one shard: every table but api_keys leads with location_id.

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
  constraint locations_currency check (currency ~ '^[A-Z]{3}$'),
  constraint locations_day_starts_at check (day_starts_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  constraint locations_fiscal_year_starts check (fiscal_year_starts ~ '^(0[1-9]|1[0-2])-([0-2][0-9]|3[01])$')
);

create table api_keys (
  id uuid primary key,
  hash text not null unique,
  hint text not null,
  name text not null,
  location_id uuid not null,
  recipient_id uuid,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_keys_hash check (length(hash) = 64),
  constraint api_keys_scopes check (cardinality(scopes) > 0)
);

-- Counter and head of each location's journal. Writers of a location take this row first and hold it to commit.
-- epoch tells this journal from another of the same location, in a database that was made anew: it is in every event id.
-- last_accepted_at is that of the last entry; null before the first.
create table location_seq (
  location_id uuid primary key,
  epoch text not null,
  last_seq bigint not null,
  last_hash text not null,
  last_accepted_at timestamptz,
  -- That of the server which wrote last: a replica that was promoted has another, and may lack what was written last.
  timeline text,
  -- What is blanked in whatever a till sends, since it was redacted: a JSON array of rules, null for none.
  erasures text,
  constraint location_seq_epoch check (epoch ~ '^[0-9a-f]{8}$')
);

create table journal (
  location_id uuid not null,
  seq bigint not null,
  accepted_at timestamptz not null,
  kind text not null,
  id uuid not null,
  -- The entry before of the same (kind, id): the history of one resource is a walk along primary keys.
  prev_seq bigint,
  types text[] not null,
  document text not null,
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
  primary key (location_id, id),
  constraint orders_closed check (closed = (closed_at is not null))
);
create index orders_created on orders (location_id, created_at, id, closed);
create index orders_open on orders (location_id, created_at, id) where not closed;
create index orders_report on orders (location_id, report_id, created_at, id) where report_id is not null;

create table reports (
  location_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  seq bigint not null,
  document text not null,
  primary key (location_id, id)
);
create index reports_created on reports (location_id, created_at, id);

create table catalog (
  location_id uuid not null,
  list text not null,
  seq bigint not null,
  document text not null,
  primary key (location_id, list),
  constraint catalog_list check (list in ('products', 'modifiers', 'payments', 'taxes'))
);

-- How many resources of a kind were created on a UTC day: totalCount and deep pages are sums over these rows.
-- seq is the journal head when the row last changed, so that a reader refreshes only what moved.
create table day_counts (
  location_id uuid not null,
  kind text not null,
  day date not null,
  n bigint not null,
  seq bigint not null,
  primary key (location_id, kind, day),
  constraint day_counts_kind check (kind in ('order.closed', 'order.open', 'report')),
  constraint day_counts_n check (n >= 0)
);
-- A reader's refresh after a push: the few days that changed, among years of them.
create index day_counts_seq on day_counts (location_id, seq);

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
