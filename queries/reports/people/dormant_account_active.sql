-- title: Dormant accounts that became active
-- question: Which accounts became active after a long time without an event?
-- family: people
-- grain: one row per first event of a known user after that many days without events, all of them read
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 90
-- detection: medium
-- attack: T1078.004
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- measure: silent_days >= $days
-- condition: A person acts after {days} days without an event, all of them read.
-- message: {actor} acted after {silent_days} days without activity
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Ask the person, or who is responsible for them, whether the account is in use again. If not, disable it.
-- Denied and failed attempts do not end the inactivity: the next successful event does.
with
-- part: owners
-- part: email_owners
-- A silence of a day or more ends with the first event of a day. The days before the range are read, too: most people
-- did something then, and need no look further back.
recorded_days as (
    select
        source, user_id, case when user_id is null then actor_email end as email, event_date,
        min(event_time) as first_at, max(event_time) as last_at
    from events
    where event_time >= cast($since as timestamp) - interval '7' day
      and event_time < cast($until as timestamp)
      and outcome not in ('denied', 'failed')
      and (user_id is not null or actor_email is not null)
    group by source, user_id, case when user_id is null then actor_email end, event_date
),
person_days as (
    select
        r.source, coalesce(r.user_id, o.user_id) as user_id,
        case when coalesce(r.user_id, o.user_id) is null then r.email end as account,
        coalesce('user ' || cast(coalesce(r.user_id, o.user_id) as varchar), r.email) as person,
        r.event_date, r.first_at, r.last_at
    from recorded_days as r
    left join email_owners as o on o.source = r.source and o.email = r.email
),
days_in_order as (
    select
        source, user_id, account, person,
        min(first_at) as event_time,
        min(first_at) - cast($days as integer) * interval '1' day as silent_from,
        lag(max(last_at)) over (partition by source, person order by event_date) as previous_at
    from person_days
    group by source, user_id, account, person, event_date
),
firsts as (
    select source, user_id, account, person, event_time, silent_from
    from days_in_order
    where event_time >= cast($since as timestamp)
      and (previous_at is null or previous_at < silent_from)
),
-- Their id, and the e-mails that they go by.
named as (
    select source, person, event_time, silent_from, user_id, cast(user_id as varchar) as id, cast(null as varchar) as email
    from firsts
    where user_id is not null
    union all
    select f.source, f.person, f.event_time, f.silent_from, f.user_id, cast(null as varchar) as id, o.email
    from firsts as f
    inner join email_owners as o on o.source = f.source and o.user_id = f.user_id
    union all
    select source, person, event_time, silent_from, user_id, cast(null as varchar) as id, account as email
    from firsts
    where account is not null
),
seen_before as (
    select n.source, n.person, n.event_time, n.silent_from, n.user_id, n.id, n.email
    from named as n
    inner join sightings as g
        on g.source = n.source
        and g.subject_kind = case when n.id is null then 'email' else 'user' end
        and g.subject = coalesce(n.id, n.email)
    where g.first_seen_at < n.silent_from
),
sought as (
    select n.source, n.person, n.event_time, n.silent_from, n.user_id, n.id, n.email
    from named as n
    inner join (select distinct source, person, event_time from seen_before) as s
        on s.source = n.source and s.person = n.person and s.event_time = n.event_time
),
active as (
    select n.source, n.person, n.event_time
    from sought as n
    inner join events as e on e.source = n.source and e.user_id = n.user_id
    where n.id is not null
      and e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($since as timestamp)
      and e.event_time >= n.silent_from
      and e.outcome not in ('denied', 'failed')
    union
    select n.source, n.person, n.event_time
    from sought as n
    inner join events as e on e.source = n.source and e.actor_email = n.email
    where e.user_id is null
      and e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($since as timestamp)
      and e.event_time >= n.silent_from
      and e.outcome not in ('denied', 'failed')
),
quiet as (
    select s.source, s.person, s.event_time, s.silent_from, s.user_id, s.id, s.email
    from seen_before as s
    left join active as a on a.source = s.source and a.person = s.person and a.event_time = s.event_time
    where a.person is null
),
last_events as (
    select q.source, q.person, q.event_time, q.silent_from, e.event_time as seen_at
    from quiet as q
    inner join events as e on e.source = q.source and e.user_id = q.user_id
    where q.id is not null
      and e.event_time < q.silent_from
    union all
    select q.source, q.person, q.event_time, q.silent_from, e.event_time as seen_at
    from quiet as q
    inner join events as e on e.source = q.source and e.actor_email = q.email
    where e.user_id is null
      and e.event_time < q.silent_from
),
returns as (
    select source, person, event_time, silent_from, max(seen_at) as last_seen_at
    from last_events
    group by source, person, event_time, silent_from
),
present as (
    select source, event_date, min(first_event_time) as first_at, max(last_event_time) as last_at
    from active_days
    where event_date >= cast(cast($since as timestamp) - cast($days as integer) * interval '1' day as date)
      and event_date < cast(cast($until as timestamp) + interval '1' day as date)
    group by source, event_date
),
counted as (
    select source, min(first_at) as first_at, max(last_at) as last_at
    from present
    group by source
),
-- part: unread_stretches
read_returns as (
    select r.source, r.person, r.event_time, r.last_seen_at
    from returns as r
    where not exists (
        select 1
        from unread as u
        where u.source = r.source
          and coalesce(u.unread_until > r.silent_from, true)
          and u.unread_from < r.event_time
    )
)
select
    e.event_time,
    e.actor,
    cast(floor(date_diff('second', r.last_seen_at, e.event_time) / 86400e0) as bigint) as silent_days,
    r.last_seen_at,
    e.canonical_name as event_name,
    e.ip_address,
    coalesce(e.user_id, o.user_id) as user_id,
    case when coalesce(e.user_id, o.user_id) is null then e.actor_email end as account,
    e.event_key,
    e.source
from read_returns as r
inner join events as e on e.source = r.source and e.event_time = r.event_time
left join email_owners as o on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
where e.event_time >= cast($since as timestamp)
  and e.event_time < cast($until as timestamp)
  and e.outcome not in ('denied', 'failed')
  and coalesce('user ' || cast(coalesce(e.user_id, o.user_id) as varchar), e.actor_email) = r.person
order by event_time, actor, silent_days, last_seen_at, event_name, ip_address, user_id, account, event_key, source
