-- The number of a Z report, by which people look for it.
alter table reports add column number bigint;
update reports set number = (document::json ->> 'reportNumber')::bigint;
alter table reports alter column number set not null;
create index reports_number on reports (location_id, number, created_at, id);
