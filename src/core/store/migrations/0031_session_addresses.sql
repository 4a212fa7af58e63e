-- The network address that a session was opened from; null for a link that nobody used, and for sessions from before.
alter table console_sessions add column address text;
