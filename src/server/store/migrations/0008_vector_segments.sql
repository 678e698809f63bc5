-- A large space gets vector tables of its own beside the shared one, and no longer partitions of it: attaching a partition
-- locks the shared one exclusively and scans it, for as long as which no other space of that embedder is read or written.
--
-- Whoever fails here on a lock tries again. Vector tables are locked before space_embedder, as by all who write vectors.
set local lock_timeout to '2s';
create temporary table carried (space_id uuid, embedder_id uuid, segments jsonb) on commit drop;

do $$
declare
  own record;
  is_valid boolean;
begin
  for own in
    select p.relname as name, root.relname as root,
      substring(pg_get_expr(p.relpartbound, p.oid) from '[0-9a-f-]{36}')::uuid as space_id,
      substring(root.relname from 8)::uuid as embedder_id
    from pg_inherits i
      join pg_class p on p.oid = i.inhrelid
      join pg_class root on root.oid = i.inhparent
    where p.relkind = 'p' and p.relname like 'vp\_%' and p.relnamespace = current_schema()::regnamespace
    order by root.relname, p.relname
  loop
    execute format('alter table %I detach partition %I', own.root, own.name);
    execute format('alter table %I detach partition %I', own.name, own.name || '_hnsw');
    execute format('insert into %I select * from %I', own.root || '_shared', own.name || '_fresh');
    execute format('drop table %I', own.name);
    execute format('alter table %I rename to %I', own.name || '_hnsw', own.name || '_1');
    select i.indisvalid into is_valid from pg_index i where i.indexrelid = to_regclass(quote_ident(own.name || '_index'));
    if found then
      execute format('alter index %I rename to %I', own.name || '_index', 'vi' || substring(own.name from 3) || '_1');
    end if;
    insert into carried values (own.space_id, own.embedder_id, jsonb_build_array(
      jsonb_build_object('number', 1, 'state', case when is_valid then 'INDEXED' else 'PLAIN' end)));
  end loop;
end
$$;

alter table space_embedder
  -- The tables of the space's own: [{"number": 1, "state": "INDEXED"}, …]; the number is part of a table's name.
  add column segments jsonb not null default '[]',
  -- Raised with every change of them: a search proves by it that it has read the right tables.
  add column layout_version integer not null default 0,
  -- The highest number so far; none is used twice.
  add column last_segment integer not null default 0;
update space_embedder e set segments = c.segments, layout_version = 1, last_segment = 1
from carried c where e.space_id = c.space_id and e.embedder_id = c.embedder_id;
-- Servers from before may still be at work. They leave a space alone that has this mark, and cannot give one a partition.
alter table space_embedder
  add constraint space_embedder_own_partition check (own_partition = (segments <> '[]'));
