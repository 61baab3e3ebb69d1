-- Tables of the same names stand before those of the database, so that jobs are folded from what these hold.
create or replace temp table event_rows as
select e.*
from event_rows as e
semi join lake_jobs_other as o on o.source = e.source and o.job_id = job_id_of(e.resource_id, e.resource_name);

create or replace temp table job_rows as
select *
from job_rows
limit 0;

create or replace temp table query_text_due as
select *
from query_text_due
limit 0;
