-- Keys with which this installation signs its backups; it has the private part of its own. The others are those of the
-- installations whose backup was restored here. None of them is in a backup: who can change one must not be able to sign it.
create table backup_signers (
  location_id uuid not null,
  public_key text not null,
  private_key text,
  created_at timestamptz not null,
  primary key (location_id, public_key)
);
