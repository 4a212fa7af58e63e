-- Keys that sign backups. The row with a private key is this installation's own; the others belong to installations
-- whose backups were restored here. Backups contain none of them: someone who can change a backup must not be able to
-- sign it.
create table backup_signers (
  location_id uuid not null,
  public_key text not null,
  private_key text,
  created_at timestamptz not null,
  primary key (location_id, public_key)
);
