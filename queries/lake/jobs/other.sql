-- The jobs that the lake has otherwise than the database.
create or replace temp table lake_jobs_other as
with
other as (
    select *
    from lake_there_job_rows
    except
    select *
    from lake_job_rows
)
select distinct source, job_id
from other;
