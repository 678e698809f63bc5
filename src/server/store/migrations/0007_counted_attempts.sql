-- Whether an attempt is one of the few that a job has. Until now every one was counted when its job was claimed, and the
-- count of the job was corrected at its end: where that matters, for the attempts that are under way, true is right. From
-- now on an attempt is counted when its worker takes up the content.
alter table job_attempt add column is_counted boolean not null default true;
alter table job_attempt alter column is_counted set default false;
