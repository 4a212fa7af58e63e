-- A business day on which a till made no Z report is closed by its next one, however long after, so that one is found by its till.
-- Null in the rows that a process of the version before writes while an update rolls out; those are made anew.
alter table report_checks add column till text;
update report_checks set till = document::json ->> 'till';
create index report_checks_till on report_checks (location_id, generation, till, day);
