-- What statistics of deliveries are made of. Null for attempts that were written before.
alter table webhook_attempts add column duration_ms double precision;
alter table webhook_attempts add column error_class text;
