-- The jobs that new events speak of, unless these were denied or failed, with every day on which one has events. What is
-- stored of them goes.
create or replace temp table touched_jobs as
with
spoken_of as (
    select distinct source, job_id_of(resource_id, resource_name) as job_id, event_date
    from due_events($first_time::timestamp, $last_time::timestamp)
    where is_job_event(canonical_name)
      and is_successful
      and coalesce(resource_id, resource_name) is not null
)
select source, job_id, event_date, null::bigint as held_row, null::date as held_date from spoken_of
union all
-- A join on equal values, which the database takes to the table as a range of ids. exists would not be (seen with
-- DuckDB 1.5.6).
select j.source, j.job_id, unnest(j.event_dates) as event_date, j.rowid as held_row, j.activity_date as held_date
from job_rows as j
semi join spoken_of as s on s.source = j.source and s.job_id = j.job_id;

delete from job_rows
where rowid in (select t.held_row from touched_jobs as t where t.held_row is not null);

delete from query_text_due
where rowid in (
    select d.rowid
    from query_text_due as d
    semi join touched_jobs as t on t.held_date = d.job_date and t.source = d.source and t.job_id = d.job_id
);

delete from query_table_rows
where rowid in (
    select q.rowid
    from query_table_rows as q
    semi join touched_jobs as t on t.held_date = q.job_date and t.source = q.source and t.job_id = q.job_id
);

delete from query_column_rows
where rowid in (
    select q.rowid
    from query_column_rows as q
    semi join touched_jobs as t on t.held_date = q.job_date and t.source = q.source and t.job_id = q.job_id
);
