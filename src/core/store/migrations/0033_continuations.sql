-- A journal that continues after going back begins an epoch: event ids and positions of the feed carry it from its `resumed` entry on.
-- `epoch` stays the first one, which the hashes cover. Null while the journal has never resumed with an epoch of its own.
alter table location_seq add column current_epoch text;
alter table location_seq add column current_from bigint;
alter table location_seq add constraint location_seq_current check (
  (current_epoch is null) = (current_from is null) and (current_epoch is null or current_epoch ~ '^[0-9a-f]{8}$')
);
-- A journal that came back from a backup and is deleted again has another epoch than before. Null where it is the first.
alter table deleted_locations add column first_epoch text;
