-- A webhook is a cursor on its location's journal: publishing an event writes no row here.
create table webhooks (
  location_id uuid not null,
  id uuid not null,
  recipient_id uuid not null,
  -- Of the attempts before it the recipient is told nothing: they were another's.
  recipient_since timestamptz not null,
  events text[] not null,
  endpoint_url text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  -- Every event up to this journal number is delivered or stands in webhook_retries.
  cursor bigint not null,
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
  primary key (location_id, webhook_id, at, id)
);
