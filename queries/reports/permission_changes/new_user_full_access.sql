-- title: Full access of new users
-- question: Which new users were granted full access within a day?
-- family: permission_changes
-- grain: one row per change that gives full access to a user within the hours after the invitation or first event
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- param: learning_hours integer = 720
-- detection: high
-- attack: T1136.003
-- key: source, user_id
-- subject: user person
-- at: event_time
-- reach: all
-- condition: A user receives full access within {hours} h after the invitation or the first event.
-- message: {person}, a user since {came_at:time}, received full access from {granted_by}: {how}
-- next: auditlake investigate --user {person} --during {event_time:date}
-- runbook: Ask who the new user is and who approved the access. Without an approval, revoke it and delete the account.
-- A user starts with the invitation or the first own event, whichever is earlier.
with
-- part: owners
-- part: first_events
managing_policies as (
    select source, policy_id, valid_from, valid_to
    from policy_rights
    where reach = 'every database'
),
granted as (
    select
        source, event_key, event_time, actor, ip_address, canonical_name, subject_kind, subject_id, subject_name,
        object_id,
        case
            when resource_kind = 'Account' then 'made ' || replace(operation, '_', ' ')
            when resource_kind = 'Databases' then 'manage granted to ' || subject_kind
        end as how
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
      and (
          resource_kind = 'Databases' and operation = 'manage' and object_id is null
          or resource_kind = 'Account' and operation in ('administrator', 'account_owner')
          or canonical_name = 'permission_policy_attach_user'
      )
),
received as (
    select source, event_key, event_time, actor, ip_address, subject_id, subject_name, how
    from granted
    where subject_kind = 'user'
      and how is not null
    union all
    select
        g.source, g.event_key, g.event_time, g.actor, g.ip_address, g.subject_id, g.subject_name,
        'attached to policy with manage' as how
    from granted as g
    where g.canonical_name = 'permission_policy_attach_user'
      and exists (
          select 1
          from managing_policies as p
          where p.source = g.source
            and p.policy_id = g.object_id
            and (p.valid_from is null or p.valid_from <= g.event_time)
            and (p.valid_to is null or p.valid_to > g.event_time)
      )
    union all
    select
        g.source, g.event_key, g.event_time, g.actor, g.ip_address, cast(m.user_id as varchar) as subject_id,
        cast(null as varchar) as subject_name, g.how
    from granted as g
    inner join policy_members as m
        on m.source = g.source
        and m.policy_id = g.subject_id
        and (m.valid_from is null or m.valid_from <= g.event_time)
        and (m.valid_to is null or m.valid_to > g.event_time)
    where g.subject_kind = 'policy'
      and g.how is not null
),
receivers as (
    select distinct source, subject_id from received
),
arrivals as (
    select r.source, r.subject_id, s.first_seen_at as came_at
    from receivers as r
    inner join sightings as s on s.source = r.source and s.subject_kind = 'user' and s.subject = r.subject_id
    union all
    select r.source, r.subject_id, s.first_seen_at as came_at
    from receivers as r
    inner join owners as o on o.source = r.source and cast(o.user_id as varchar) = r.subject_id
    inner join sightings as s on s.source = o.source and s.subject_kind = 'email' and s.subject = o.email
    union all
    select r.source, r.subject_id, e.event_time as came_at
    from receivers as r
    left join owners as o on o.source = r.source and cast(o.user_id as varchar) = r.subject_id
    inner join events as e
        on e.source = r.source
        and (e.resource_id = r.subject_id or lower(e.resource_name) = o.email)
    where e.canonical_name = 'user_invite'
      and e.outcome = 'succeeded'
      and e.event_time < cast($until as timestamp)
),
came as (
    select source, subject_id, min(came_at) as came_at
    from arrivals
    group by source, subject_id
),
named as (
    select source, user_id, min(email) as email
    from owners
    group by source, user_id
)
select
    r.event_time,
    coalesce(r.subject_name, n.email, 'user ' || r.subject_id) as person,
    r.how,
    r.actor as granted_by,
    c.came_at,
    r.ip_address,
    r.subject_id as user_id,
    r.event_key,
    r.source
from received as r
inner join came as c on c.source = r.source and c.subject_id = r.subject_id
inner join first_events as l on l.source = r.source
left join named as n on n.source = r.source and cast(n.user_id as varchar) = r.subject_id
where r.event_time >= c.came_at
  and r.event_time <= c.came_at + cast($hours as integer) * interval '1' hour
  and r.event_time >= l.first_at + cast($learning_hours as integer) * interval '1' hour
order by event_time, person, how, granted_by, came_at, ip_address, user_id, event_key, source
