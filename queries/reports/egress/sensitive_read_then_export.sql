-- title: Exports after reads of sensitive columns
-- question: Who read a sensitive column and soon after downloaded or exported a result?
-- family: egress
-- grain: one row per download or export whose user read a listed column within the minutes before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: sensitive_columns text = email,e_mail,phone,address,birthday,birth_date,password,ssn,passport,iban,credit_card
-- param: minutes integer = 60
-- param: days integer = 30
-- detection: high
-- attack: T1213, T1567
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 32d
-- evidence: shown_events
-- condition: A person reads a sensitive column, and downloads or exports a result within {minutes} min.
-- message: {actor} read {columns:count column} with sensitive data, such as {column_name} of {table_name}, and exported a result within an hour
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check which rows the result had and where it went.
-- A listed column is column, table.column or database.table.column. A query of all columns of a table reads those of
-- it that queries of the days before named.
with
listed as (
    select ',' || replace(lower(cast($sensitive_columns as varchar)), ' ', '') || ',' as names
),
reads as (
    select
        q.source, q.job_id, q.job_date, coalesce(q.database_name, '') as database_name, q.table_name, q.column_name,
        position(',' || q.column_name || ',' in l.names) > 0
            or position(',' || q.table_name || '.' || q.column_name || ',' in l.names) > 0
            or position(
                ',' || coalesce(q.database_name, '') || '.' || q.table_name || '.' || q.column_name || ',' in l.names
            ) > 0 as is_listed
    from query_columns as q
    cross join listed as l
    where q.job_date >= cast(cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
          - cast($days as integer) * interval '1' day as date)
      and q.job_date <= cast(cast($until as timestamp) as date)
      and q.access = 'read'
),
sensitive_reads as (
    select source, job_id, database_name, table_name, column_name from reads where is_listed
    union
    select r.source, r.job_id, r.database_name, r.table_name, r.column_name
    from reads as r
    inner join reads as s
        on s.source = r.source and s.database_name = r.database_name and s.table_name = r.table_name
        and s.job_date < r.job_date
        and s.job_date >= cast(r.job_date - cast($days as integer) * interval '1' day as date)
    where r.column_name = '*'
      and s.is_listed
),
jobs as (
    select
        j.source, j.activity_key, j.activity_time, r.database_name, r.table_name, r.column_name,
        coalesce(cast(j.user_id as varchar), j.actor_email, nullif(j.ip_address, 'internal'), 'unknown') as person
    from query_jobs as j
    inner join sensitive_reads as r on r.source = j.source and r.job_id = j.job_id
    where j.activity_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and j.activity_time < cast($until as timestamp)
),
taken as (
    select
        source, user_id, event_key, event_time, actor, canonical_name, ip_address, bytesize,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(cast(user_id as varchar), actor_email, nullif(ip_address, 'internal'), 'unknown') as person
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in ('job_result_download', 'job_result_export')
      and outcome = 'succeeded'
),
pairs as (
    select
        t.source, t.user_id, t.event_key, t.event_time, t.actor, t.canonical_name, t.ip_address, t.bytesize, t.account,
        j.activity_key, j.activity_time, j.database_name, j.table_name, j.column_name
    from taken as t
    inner join jobs as j
        on j.source = t.source and j.person = t.person
        and j.activity_time <= t.event_time
        and j.activity_time >= t.event_time - cast($minutes as integer) * interval '1' minute
),
shown_events as (
    select event_key as hit_key, event_key from pairs
    union all
    select event_key as hit_key, activity_key as event_key from pairs
)
select
    event_time,
    actor,
    canonical_name as event_name,
    count(distinct database_name || '.' || table_name || '.' || column_name) as columns,
    min(table_name) as table_name,
    min(column_name) as column_name,
    min(activity_time) as first_at,
    bytesize as bytes,
    ip_address,
    user_id,
    account,
    event_key,
    source
from pairs
group by event_time, actor, canonical_name, bytesize, ip_address, user_id, account, event_key, source
order by
    event_time, actor, event_name, columns, table_name, column_name, first_at, bytes, ip_address, user_id, account,
    event_key, source
