-- Aggregates pending events by actor, time, address and database. Also shows whether other tables need some of the
-- events.
create or replace temp table due_actors as
with
-- Reads since a prune that kept the sums: what they bring of its time may be what the sums have counted.
later_reads as (
    select r.source, r.read_id, max(p.before_time) as pruned_before
    from window_reads as r
    inner join prunes as p on p.source is null or p.source = r.source
    where p.keeps_folds and r.read_at > p.pruned_at
    group by r.source, r.read_id
),
due as (
    select e.*, coalesce(e.event_time < l.pruned_before, false) as comes_again
    from due_events($first_time::timestamp, $last_time::timestamp) as e
    left join later_reads as l on l.source = e.source and l.read_id = e.read_id
)
select
    source, event_date, user_id, comes_again,
    lower(nullif(user_email, '')) as user_email,
    -- The word for the platform's own requests is no address.
    nullif(nullif(ip_address, ''), 'internal') as ip_address,
    -- Events name databases as the first part of what they are about.
    lower(nullif(case
        when canonical_name in ('database_create', 'database_modify', 'database_delete') then resource_name
        when names_database(area)
            and coalesce(target_table, resource_name) like '%.%'
        then split_part(coalesce(target_table, resource_name), '.', 1)
    end, '')) as database_name,
    is_successful and (entry_id is not null or trim(event_result) <> '') as succeeded,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time,
    count(*) as events,
    bool_or(coalesce(is_job_event(canonical_name), false)) as has_jobs,
    bool_or(coalesce(is_access_event(canonical_name), false)) as has_access
from due
group by all;

-- Where a prune took events of a user and day, or of a subject, what comes again of its time is counted already.
merge into active_day_rows as d
using (
    select
        a.source, a.user_id, a.event_date,
        min(a.first_event_time) as first_event_time,
        max(a.last_event_time) as last_event_time,
        sum(case when a.comes_again and p.events is not null then 0 else a.events end)::bigint as events
    from due_actors as a
    left join pruned_active_day_rows as p
        on p.source = a.source and p.user_id = a.user_id and p.event_date = a.event_date
    where a.user_id is not null
    group by a.source, a.user_id, a.event_date
    order by a.event_date, a.source, a.user_id
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
            source, first_event_time, last_event_time, events, comes_again,
            unnest([
                {'kind': 'user', 'subject': cast(user_id as varchar)},
                {'kind': 'email', 'subject': user_email},
                -- Which ids an e-mail stood beside: who has one where no user list says so.
                {'kind': 'user email', 'subject': cast(user_id as varchar) || ' ' || user_email},
                {'kind': 'address', 'subject': ip_address},
                -- From where users succeeded, and e-mails without an id (queries/views/sightings.sql splits the pairs).
                {
                    'kind': case when user_id is null then 'email address' else 'user address' end,
                    'subject': case when succeeded
                        then coalesce(cast(user_id as varchar), user_email) || chr(31) || ip_address
                    end
                },
                {'kind': 'database', 'subject': database_name}
            ]) as name
        from due_actors
    )
    select
        a.source, a.name.kind as subject_kind, a.name.subject as subject,
        min(a.first_event_time) as first_seen_at,
        max(a.last_event_time) as last_seen_at,
        sum(case when a.comes_again and p.events is not null then 0 else a.events end)::bigint as events
    from named as a
    left join pruned_sighting_rows as p
        on p.source = a.source and p.subject_kind = a.name.kind and p.subject = a.name.subject
    where a.name.subject is not null
    group by a.source, a.name.kind, a.name.subject
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
