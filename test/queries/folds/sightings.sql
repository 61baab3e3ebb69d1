-- Active days, sightings and addresses of users, aggregated from all events.
create or replace temp view folded_active_days as
select
    source, user_id, event_date,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time,
    count(*) as events
from events
where user_id is not null
group by source, user_id, event_date;

create or replace temp view folded_sightings as
with
named as (
    select source, event_time, 'user' as subject_kind, cast(user_id as varchar) as subject from events
    union all
    select source, event_time, 'email' as subject_kind, lower(user_email) as subject from events
    union all
    select source, event_time, 'address' as subject_kind, nullif(ip_address, 'internal') as subject from events
    union all
    select source, event_time, 'database' as subject_kind, lower(resource_name) as subject
    from events
    where canonical_name in ('database_create', 'database_modify', 'database_delete')
    union all
    select
        source, event_time, 'database' as subject_kind,
        lower(split_part(coalesce(target_table, resource_name), '.', 1)) as subject
    from events
    where area in ('Jobs', 'Table', 'Bulk import', 'File upload')
      and coalesce(target_table, resource_name) like '%.%'
)
select
    source, subject_kind, subject,
    min(event_time) as first_seen_at,
    max(event_time) as last_seen_at,
    count(*) as events
from named
where subject <> ''
group by source, subject_kind, subject;

create or replace temp view folded_user_addresses as
select
    source, user_id,
    case when user_id is null then lower(user_email) end as user_email,
    ip_address,
    min(event_time) as first_seen_at,
    max(event_time) as last_seen_at,
    count(*) as events
from events
where outcome = 'succeeded'
  and ip_address not in ('', 'internal')
  and (user_id is not null or user_email <> '')
group by source, user_id, case when user_id is null then lower(user_email) end, ip_address;

create or replace temp view folded_job_days as
select
    source, coalesce(resource_id, split_part(resource_name, '.', -1)) as job_id,
    list_sort(list_distinct(list(event_date))) as event_dates
from events
where canonical_name in ('job_issue', 'job_modify', 'job_kill', 'job_status_update_by_system')
  and outcome = 'succeeded'
  and coalesce(resource_id, resource_name) is not null
group by all;
