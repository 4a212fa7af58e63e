-- When a deactivated location is deleted with all that it has; null for one that is not to be.
alter table locations add column delete_at timestamptz;
