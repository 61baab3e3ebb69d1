-- The jobs as they were folded, and whether the text of each is the one that the database has.
create or replace temp table lake_whole as
select
    j.source, j.job_id, j.activity_date as day,
    j.text_hash is not null and j.text_hash is not distinct from h.text_hash as is_text_here,
    j.text_hash is not null and j.text_hash is distinct from h.text_hash as is_text_there
from job_rows as j
left join lake_jobs_here as h on h.source = j.source and h.job_id = j.job_id;
