-- Who did something when, from where and on which database, folded from the events that are due. It also shows whether
-- there are events among them that the other tables need.
create or replace temp table due_actors as
select
    source, event_date, user_id,
    lower(nullif(user_email, '')) as user_email,
    nullif(ip_address, '') as ip_address,
    -- Events name databases as the first part of what they are about.
    lower(nullif(case
        when canonical_name in ('database_create', 'database_modify', 'database_delete') then resource_name
        when names_database(area)
            and coalesce(target_table, resource_name) like '%.%'
        then split_part(coalesce(target_table, resource_name), '.', 1)
    end, '')) as database_name,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time,
    count(*) as events,
    bool_or(coalesce(is_job_event(canonical_name), false)) as has_jobs,
    bool_or(coalesce(is_access_event(canonical_name), false)) as has_access
from due_events($first_time::timestamp, $last_time::timestamp)
group by all;

merge into active_day_rows as d
using (
    select
        source, user_id, event_date,
        min(first_event_time) as first_event_time,
        max(last_event_time) as last_event_time,
        sum(events)::bigint as events
    from due_actors
    where user_id is not null
    group by source, user_id, event_date
    order by event_date, source, user_id
) as n
on n.source = d.source and n.user_id = d.user_id and n.event_date = d.event_date
when matched then update set
    first_event_time = least(d.first_event_time, n.first_event_time),
    last_event_time = greatest(d.last_event_time, n.last_event_time),
    events = d.events + n.events
when not matched then insert by name;

merge into sighting_rows as s
using (
    with
    named as (
        select
            source, first_event_time, last_event_time, events,
            unnest([
                {'kind': 'user', 'subject': cast(user_id as varchar)},
                {'kind': 'email', 'subject': user_email},
                {'kind': 'address', 'subject': ip_address},
                {'kind': 'database', 'subject': database_name}
            ]) as name
        from due_actors
    )
    select
        source, name.kind as subject_kind, name.subject as subject,
        min(first_event_time) as first_seen_at,
        max(last_event_time) as last_seen_at,
        sum(events)::bigint as events
    from named
    where name.subject is not null
    group by source, name.kind, name.subject
) as n
on n.source = s.source and n.subject_kind = s.subject_kind and n.subject = s.subject
when matched then update set
    first_seen_at = least(s.first_seen_at, n.first_seen_at),
    last_seen_at = greatest(s.last_seen_at, n.last_seen_at),
    events = s.events + n.events
when not matched then insert by name;

select
    coalesce(bool_or(has_jobs), false) as has_jobs,
    coalesce(bool_or(has_access), false) as has_access
from due_actors;
