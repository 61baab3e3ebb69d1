-- title: Mass deletions
-- question: Who deleted far more than before within an hour?
-- family: query_activity
-- grain: one row per deletion that brings the objects deleted by its user within the minutes before it to the limits
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: deletions integer = 20
-- param: times integer = 10
-- param: minutes integer = 60
-- param: days integer = 30
-- detection: high
-- attack: T1485
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: 31d
-- measure: deletions >= $deletions
-- measure: times_usual >= $times
-- window: first_at
-- condition: A person deletes {deletions} different objects within {minutes} min, and {times} times their busiest hour of the {days} days before; or runs a bulk deletion of entities.
-- message: {actor} {deed}
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Stop the person's access if the deletions were not planned, and check which of the objects can be restored.
-- A table that a query drops, truncates or deletes from counts when the job is issued, once per statement; the outcome of
-- the job is known later. A bulk deletion of entities is a separate row.
with
by_event as (
    select
        source, user_id, event_key, event_time, actor, ip_address, actor_email, canonical_name as deletion,
        canonical_name || ' ' || coalesce(resource_id, resource_name, target_table, path, event_key) as object,
        canonical_name = 'entities_bulk_delete' as is_bulk
    from events
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '2' minute
          - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and (canonical_name like '%delete%' or canonical_name like '%destroy%')
      and outcome = 'succeeded'
),
by_text as (
    select distinct
        j.source, j.user_id, j.activity_key as event_key, j.activity_time as event_time, j.actor, j.ip_address,
        j.actor_email, t.statement_kind as deletion,
        j.job_id || ' ' || cast(t.statement_number as varchar) || ' ' || coalesce(t.database_name, '') || '.'
            || coalesce(t.table_name, '') as object,
        1 = 0 as is_bulk
    from query_jobs as j
    inner join query_tables as t on t.source = j.source and t.job_id = j.job_id
    where j.activity_time >= cast($since as timestamp) - cast($minutes as integer) * interval '2' minute
          - cast($days as integer) * interval '1' day
      and j.activity_time < cast($until as timestamp)
      and t.job_date >= cast(cast($since as timestamp) - cast($minutes as integer) * interval '2' minute
          - cast($days as integer) * interval '1' day as date)
      and t.access = 'written'
      and t.statement_kind in ('drop', 'truncate', 'delete')
),
deletions as (
    select
        source, user_id, event_key, event_time, actor, ip_address, deletion, object, is_bulk,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(cast(user_id as varchar), actor_email, nullif(ip_address, 'internal'), 'unknown') as person
    from (
        select source, user_id, event_key, event_time, actor, ip_address, actor_email, deletion, object, is_bulk
        from by_event
        union all
        select source, user_id, event_key, event_time, actor, ip_address, actor_email, deletion, object, is_bulk
        from by_text
    ) as both_ways
),
-- A person with fewer rows cannot have that many different objects.
busy as (
    select source, person
    from (
        select
            source, person, event_time, is_bulk,
            count(*) over (
                partition by source, person
                order by event_time
                range between cast($minutes as integer) * interval '1' minute preceding and current row
            ) as entries
        from deletions
    ) as counted
    where event_time >= cast($since as timestamp)
      and (is_bulk or entries >= cast($deletions as integer))
    group by source, person
),
own as (
    select d.source, d.person, d.event_time, d.object
    from deletions as d
    inner join busy as b on b.source = d.source and b.person = d.person
),
moments as (
    select source, person, event_time from own group by source, person, event_time
),
hours as (
    select
        m.source, m.person, m.event_time, count(distinct o.object) as deletions, min(o.event_time) as first_at
    from moments as m
    inner join own as o
        on o.source = m.source and o.person = m.person
        and o.event_time <= m.event_time
        and o.event_time >= m.event_time - cast($minutes as integer) * interval '1' minute
    group by m.source, m.person, m.event_time
),
-- The time before, with the days on which it begins and ends.
spans as (
    select
        source, person, event_time, deletions, first_at, from_at, to_at,
        cast(from_at as date) as from_date, cast(to_at as date) as to_date
    from (
        select
            source, person, event_time, deletions, first_at,
            event_time - cast($minutes as integer) * interval '1' minute - cast($days as integer) * interval '1' day as from_at,
            event_time - cast($minutes as integer) * interval '1' minute as to_at
        from hours
        where event_time >= cast($since as timestamp)
    ) as before
),
-- Of the days between, the most of each is enough.
by_day as (
    select source, person, cast(event_time as date) as event_date, max(deletions) as deletions
    from hours
    group by source, person, cast(event_time as date)
),
before as (
    select s.source, s.person, s.event_time, b.deletions
    from spans as s
    inner join by_day as b
        on b.source = s.source and b.person = s.person
        and b.event_date > s.from_date and b.event_date < s.to_date
    union all
    select s.source, s.person, s.event_time, h.deletions
    from spans as s
    inner join hours as h
        on h.source = s.source and h.person = s.person and cast(h.event_time as date) = s.to_date
        and h.event_time < s.to_at and h.event_time >= s.from_at
    union all
    select s.source, s.person, s.event_time, h.deletions
    from spans as s
    inner join hours as h
        on h.source = s.source and h.person = s.person and cast(h.event_time as date) = s.from_date
        and h.event_time < s.to_at and h.event_time >= s.from_at
),
compared as (
    select s.source, s.person, s.event_time, s.deletions, s.first_at, coalesce(max(b.deletions), 0) as most_before
    from spans as s
    left join before as b on b.source = s.source and b.person = s.person and b.event_time = s.event_time
    group by s.source, s.person, s.event_time, s.deletions, s.first_at
),
rated as (
    select
        source, person, event_time, deletions, first_at, most_before,
        cast(floor(cast(deletions as double) / case when most_before < 1 then 1 else most_before end) as bigint) as full_times
    from compared
),
last_ones as (
    select
        source, person, event_time, event_key,
        min(actor) as actor, min(ip_address) as ip_address, min(deletion) as deletion, min(account) as account,
        max(user_id) as user_id, max(case when is_bulk then 1 else 0 end) as bulk
    from deletions
    group by source, person, event_time, event_key
),
judged as (
    select
        r.source, r.event_time, l.actor, r.deletions, r.most_before, r.first_at, l.deletion, l.ip_address, l.user_id,
        l.account, l.event_key, l.bulk,
        case when r.full_times < 1 then 1 else r.full_times end as times_usual,
        r.deletions >= cast($deletions as integer)
            and case when r.full_times < 1 then 1 else r.full_times end >= cast($times as integer) as is_mass
    from rated as r
    inner join last_ones as l on l.source = r.source and l.person = r.person and l.event_time = r.event_time
)
select
    event_time,
    actor,
    case
        when is_mass then 'deleted ' || cast(deletions as varchar) || ' objects within an hour'
        else 'ran a bulk deletion (entities_bulk_delete)'
    end as deed,
    deletions,
    most_before,
    times_usual,
    case when is_mass then first_at else event_time end as first_at,
    deletion,
    ip_address,
    user_id,
    account,
    event_key,
    source
from judged
where is_mass
   or bulk = 1
order by
    event_time, actor, deed, deletions, most_before, times_usual, first_at, deletion, ip_address, user_id, account, event_key,
    source
