-- Orders arrive about when they are closed, so a range of time lies in few of the table's blocks: exports, closings and days without a Z
-- find theirs by it. It is some kilobytes, and a write costs nothing for it.
create index orders_closed on orders using brin (closed_at) with (autosummarize = on);
