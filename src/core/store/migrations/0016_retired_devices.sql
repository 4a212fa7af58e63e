-- Devices that were taken out of service, by id or name, with the business day of it: a JSON object.
alter table locations add column retired_devices text not null default '{}';
