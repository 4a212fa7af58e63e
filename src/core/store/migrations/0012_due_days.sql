-- Business days that something happened to, so that somebody looks whether they are complete.
create table due_days (
  location_id uuid not null,
  day date not null,
  -- Number of the journal up to which what happened is known.
  seq bigint not null,
  -- When to look; null for at once.
  due_at timestamptz,
  primary key (location_id, day)
);

-- What the journal said of a business day, by its id.
create index journal_days on journal (location_id, id, seq) where kind = 'day';
