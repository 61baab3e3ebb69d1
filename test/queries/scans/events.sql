-- 400 days of narrow events, 250 a day in the order of time: jobs with an issue and an end, sign-ins, downloads,
-- refusals, and changes of rights.
insert into event_rows by name
with
numbers as (
    select n, (n // 2) as job, n % 25 as slot, timestamp '2025-01-01' + to_seconds(n * 345) as event_time
    from range(100000) as r (n)
),
named as (
    select
        n, slot, job, event_time,
        case
            when slot < 12 then case n % 2 when 0 then 'job_issue' else 'job_modify' end
            when slot < 15 then 'sign_in'
            when slot < 17 then 'job_result_download'
            when slot = 17 then 'job_result_download_denied'
            when slot = 18 then 'permission_policy_modify'
            when slot = 19 then 'permission_policy_attach_user'
            when slot = 20 then 'database_permission_modify'
            when slot = 21 then 'ip_whitelist_modify'
            when slot = 22 then 'query_run'
            when slot = 23 then 'sign_in_failed'
            else 'column_query'
        end as event_name
    from numbers
),
entries as (
    select event_name, min(entry_id) as entry_id
    from catalog_entries
    where not is_fallback
    group by event_name
)
select
    cast(md5(cast(n as varchar)) as uuid) as event_key,
    'default' as source, event_time as window_start, 'run' as run_id, event_time as first_seen_at, 'read' as read_id,
    0 as page_number, n as record_number, event_time, cast(event_time as date) as event_date,
    named.event_name, entries.entry_id, 'unknown_event' as catalog_match,
    -- Of some events the e-mail alone is known.
    case when n % 23 > 0 then n % 50 end as user_id,
    'user' || n % 50 || '@example.com' as user_email,
    '192.0.2.' || n % 90 as ip_address,
    case
        when slot < 12 or slot in (15, 16, 17) then cast(100000 + job as varchar)
        else cast(n % 40 as varchar)
    end as resource_id,
    'db' || n % 7 || '.' || job as resource_name,
    case when slot in (18, 19, 20) then n % 60 end as affected_user_id,
    case slot when 18 then 'permissions' else 'status' end as attribute_name,
    case when slot < 12 then 'success' when slot = 20 then 'query' when slot = 18
        then '{"Databases":[{"operation":"query","ids":"' || n % 9 || '"}]}' end as new_value,
    case when slot = 20 then 'import' end as old_value,
    -- Of one job in fifty the text does not stand where it was issued.
    case when slot < 12 and n % 2 = case job % 50 when 0 then 1 else 0 end then 'select ' || n end as query_text
from named
left join entries on entries.event_name = named.event_name
order by event_time;

insert into user_history by name
select
    'default' as source, n as user_id, 'user' || n || '@example.com' as email, timestamp '2025-01-01' as valid_from
from range(60) as r (n);
