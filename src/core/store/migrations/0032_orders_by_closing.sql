-- Figures count an order by the moment at which it was closed, so it is found by that moment, whenever it was created.
drop index orders_closed;
create index orders_closed on orders (location_id, closed_at, id) where closed;

-- A canceled order that was never closed belongs to the day on which it was opened. Stored times have one form, so their text sorts as
-- they do.
create index orders_canceled on orders (location_id, (substring(document from '"openedAt":"([^"]+)"') collate "C"), id)
  where canceled and not closed;

-- Days that an import completed had no entry in the journal: each is looked at once more, and gets one.
insert into due_days (location_id, day, seq)
select distinct location_id, day, 0 from device_days
on conflict do nothing;
