-- How long the memories of a space wait for a provider that is away.
alter table space add column give_up_after_minutes integer not null default 60
  constraint space_give_up_after_minutes check (give_up_after_minutes between 1 and 1440);

-- Why a FAILED memory failed; null with every other status.
alter table memory add column failure_reason text;
update memory m set failure_reason = (
    select j.last_error from job j where j.space_id = m.space_id and j.memory_id = m.memory_id
    order by j.job_id desc limit 1
  )
  where m.processing_status = 'FAILED';
-- The diagnosis counts the memories that have failed lately.
create index memory_failed on memory (updated_at) where processing_status = 'FAILED';

-- The owner of the space, which never changes: owners take turns at the workers.
alter table job add column owner_id uuid;
update job j set owner_id = s.owner_id from space s where s.space_id = j.space_id;
-- A job goes with its space; one that should be left without has nothing to work on.
delete from job where owner_id is null;
alter table job alter column owner_id set not null;
-- One look finds the next owner with a job that waits, another one the first job of that owner.
create index job_turn on job (owner_id, run_at, job_id) where status = 'PENDING';

-- Digest of the text, its chunks and the embedders that the stored chunks of an unfinished memory were made with: an
-- attempt that comes to the same goes on behind them.
alter table job add column prepared_digest bytea;
