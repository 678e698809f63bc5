-- As before, with the memory in its key. Before a table is analyzed, which the embedded engine never does by itself, the
-- planner takes all indexes for equal that start with the space, and prefers the newest: it read all memories of a space to
-- find one of them.
drop index memory_statistics;
create index memory_statistics on memory (space_id, memory_id) include (content_length, expires_at);
