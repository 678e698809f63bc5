-- What servers that share this database have counted together. Unlogged: the counts of a minute are not worth a write
-- to the log each, and after a crash of the database everybody may begin again.
create unlogged table rate_limit_count (
  -- `key:` and the id of an API key, or `address:` and a remote address or network.
  subject text collate "C" not null,
  -- The window: its end in Unix seconds, and its length.
  ends_at bigint not null,
  window_s integer not null,
  requests bigint not null,
  constraint rate_limit_count_key primary key (subject, ends_at, window_s)
);
create index rate_limit_count_ended on rate_limit_count (ends_at);
