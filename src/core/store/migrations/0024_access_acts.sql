-- What was done by hand at all locations is read newest first, beside the log of each.
create index access_acts on access_entries (at, seq, id) where kind = 'act';
