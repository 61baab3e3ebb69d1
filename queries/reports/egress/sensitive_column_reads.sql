-- title: Reads of sensitive columns
-- question: Who read sensitive columns?
-- family: egress
-- grain: one row per user and listed column that their queries read; * for reads of all columns of a table that has one
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: columns text = email,e_mail,phone,address,birthday,birth_date,password,ssn,passport,iban,credit_card
with
reads as (
    select
        source, job_id, job_date, database_name, table_name, column_name,
        position(',' || column_name || ',' in listed.names) > 0
            or position(',' || table_name || '.' || column_name || ',' in listed.names) > 0
            or position(
                ',' || coalesce(database_name, '') || '.' || table_name || '.' || column_name || ',' in listed.names
            ) > 0 as is_listed
    from query_columns
    cross join (
        select ',' || replace(lower(cast($columns as varchar)), ' ', '') || ',' as names
    ) as listed
    where job_date >= cast(cast($since as timestamp) as date)
      and job_date <= cast(cast($until as timestamp) as date)
      and access = 'read'
),
-- Tables with such a column in a query: a read of all columns reads it, too.
sensitive_tables as (
    select distinct source, coalesce(database_name, '') as database_name, table_name
    from reads
    where is_listed
),
listed_reads as (
    select distinct r.source, r.job_id, r.database_name, r.table_name, r.column_name
    from reads as r
    left join sensitive_tables as s
        on s.source = r.source and s.database_name = coalesce(r.database_name, '') and s.table_name = r.table_name
    where r.is_listed or (r.column_name = '*' and s.table_name is not null)
),
jobs as (
    select
        source, job_id, activity_time, user_id,
        actor
    from query_jobs
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
)
select
    jobs.actor,
    listed_reads.database_name,
    listed_reads.table_name,
    listed_reads.column_name,
    count(*) as jobs,
    min(jobs.activity_time) as first_at,
    max(jobs.activity_time) as last_at,
    max(jobs.user_id) as user_id,
    jobs.source
from jobs
inner join listed_reads on listed_reads.source = jobs.source and listed_reads.job_id = jobs.job_id
group by
    jobs.source, jobs.actor, listed_reads.database_name, listed_reads.table_name, listed_reads.column_name
order by jobs desc, actor, database_name, table_name, column_name, source
