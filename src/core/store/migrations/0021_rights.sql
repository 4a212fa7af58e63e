-- Rights end with what they are about. A key of scope admin ends with the session or key that made it; null where the
-- command line did. suspended_at is read no more: whether a location is in use is asked of the location.
alter table api_keys add column made_by text;
create index api_keys_made_by on api_keys (made_by) where made_by is not null;

-- SHA-256 of the secret that the page of a session keeps: a cookie goes to every port of its host name, and the storage
-- of a page belongs to one origin. Null while it is a link.
alter table console_sessions add column page_hash text;
