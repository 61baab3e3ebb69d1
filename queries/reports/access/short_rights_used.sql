-- title: Short-lived permissions that were used
-- question: Which permissions were granted, used and revoked within hours?
-- family: access
-- grain: one row per permission revoked within the hours after its grant, and user who used it in between
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 4
-- detection: medium
-- attack: T1098
-- key: source, user_id
-- subject: user person
-- at: event_time
-- reach: all
-- evidence: shown_events
-- condition: A right is granted, used by its holder and revoked within {hours} h.
-- message: {person} held {operation} on {object} for a few hours from {granted_at:time} and used it at {last_used_at:time}
-- next: auditlake investigate --user {person} --during {event_time:date}
-- runbook: Ask who needed the right for so short a time, and look at what was done with it.
-- A use is an event, or an access in the text of a job, that needs or may need the right (rules: schemas/uses.json).
-- For a membership, the rights of the policy count. It also ends with the deletion of the policy or user, and with a
-- change that no longer finds it: if no event revoked it, the grant is the event.
with
-- part: owners
-- part: email_owners
-- part: use_rules
short as (
    select
        source, subject_kind, subject_id, resource_kind, operation, object_id, object_name, valid_from, valid_to,
        granted_by, granted_event_key, revoked_event_key,
        coalesce(revoked_event_key, granted_event_key) as event_key,
        row_number() over (
            order by
                source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, valid_from
        ) as span_number
    from permission_spans
    where granted_event_key is not null
      and valid_to >= cast($since as timestamp)
      and valid_to < cast($until as timestamp)
      and valid_to <= valid_from + cast($hours as integer) * interval '1' hour
      and (resource_kind in ('Databases', 'Account') or resource_kind = 'Policies' and operation = 'member')
),
-- Who could do what by it, from when to when.
held as (
    select
        source, span_number, event_key, valid_from, valid_to, granted_by, operation,
        coalesce(object_name, object_id) as object, subject_id as user_id,
        operation as needed_operation, object_id as database_id, valid_from as held_from, valid_to as held_to
    from short
    where subject_kind = 'user'
      and resource_kind in ('Databases', 'Account')
    union all
    select
        s.source, s.span_number, s.event_key, s.valid_from, s.valid_to, s.granted_by, s.operation,
        coalesce(p.policy_name, 'policy ' || s.object_id) as object, s.subject_id as user_id,
        p.operation as needed_operation, p.database_id,
        case when p.valid_from > s.valid_from then p.valid_from else s.valid_from end as held_from,
        case when p.valid_to < s.valid_to then p.valid_to else s.valid_to end as held_to
    from short as s
    inner join policy_rights as p on p.source = s.source and p.policy_id = s.object_id
    where s.resource_kind = 'Policies'
      and p.resource_kind = 'Databases'
      and (p.valid_from is null or p.valid_from < s.valid_to)
      and (p.valid_to is null or p.valid_to > s.valid_from)
    union all
    select
        s.source, s.span_number, s.event_key, s.valid_from, s.valid_to, s.granted_by, s.operation,
        coalesce(s.object_name, s.object_id) as object, cast(m.user_id as varchar) as user_id,
        s.operation as needed_operation, s.object_id as database_id,
        case when m.valid_from > s.valid_from then m.valid_from else s.valid_from end as held_from,
        case when m.valid_to < s.valid_to then m.valid_to else s.valid_to end as held_to
    from short as s
    inner join policy_members as m on m.source = s.source and m.policy_id = s.subject_id
    where s.subject_kind = 'policy'
      and s.resource_kind = 'Databases'
      and (m.valid_from is null or m.valid_from < s.valid_to)
      and (m.valid_to is null or m.valid_to > s.valid_from)
),
touched as (
    select distinct source, job_id, lower(database_name) as database_name, access
    from query_tables
    where job_date >= cast(cast($since as timestamp) - cast($hours as integer) * interval '1' hour as date)
      and job_date <= cast(cast($until as timestamp) as date)
),
-- part: event_uses
done as (
    select
        j.source, j.user_id, case when j.user_id is null then j.actor_email end as email,
        j.activity_key as use_key, j.activity_time as used_at,
        coalesce(t.database_name, lower(j.database_name)) as database_name,
        cast(null as varchar) as database_id, 'job ' || coalesce(t.access, 'not_read') as what
    from query_jobs as j
    left join touched as t on t.source = j.source and t.job_id = j.job_id
    where j.activity_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and j.activity_time < cast($until as timestamp)
    union all
    select
        source, user_id, case when user_id is null then actor_email end as email,
        event_key as use_key, event_time as used_at,
        database_name, database_id, canonical_name as what
    from event_uses
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
),
done_by as (
    select
        d.source, cast(coalesce(d.user_id, o.user_id) as varchar) as user_id, d.use_key, d.used_at,
        cast(d.used_at as date) as used_on,
        d.database_name, d.database_id, d.what
    from done as d
    left join email_owners as o on o.source = d.source and o.email = d.email
),
names as (
    select distinct source, lower(resource_name) as database_name, resource_id as database_id
    from access_event_rows
    where canonical_name in ('database_create', 'database_modify', 'database_permission_modify', 'database_delete')
      and is_successful
      and resource_id <> ''
      and resource_name <> ''
),
-- One row per day of a right: uses are compared with the rights of their day only.
held_days as (
    select
        h.source, h.span_number, h.event_key, h.user_id, h.operation, h.object, h.valid_from, h.valid_to, h.granted_by,
        h.needed_operation, h.database_id, h.held_from, h.held_to, d.used_on
    from held as h
    inner join (select distinct used_on from done_by) as d
        on d.used_on >= cast(h.held_from as date)
        and d.used_on <= cast(h.held_to as date)
),
own_uses as (
    select
        h.source, h.span_number, h.event_key, h.user_id, h.operation, h.object, h.valid_from, h.valid_to, h.granted_by,
        d.use_key, d.used_at
    from held_days as h
    inner join done_by as d
        on d.source = h.source
        and d.user_id = h.user_id
        and d.used_on = h.used_on
        and d.used_at >= h.held_from
        and d.used_at <= h.held_to
    inner join use_rules as r on r.what = d.what
    where (
          h.needed_operation in ('manage', 'administrator', 'account_owner')
          or h.needed_operation = r.operation
          or h.needed_operation = 'owner_manage' and exists (
              select 1
              from databases as b
              where b.source = h.source
                and cast(b.creator_user_id as varchar) = h.user_id
                and (
                    b.database_id = d.database_id
                    or exists (
                        select 1
                        from names as n
                        where n.source = b.source
                          and n.database_id = b.database_id
                          and n.database_name = d.database_name
                    )
                )
          )
      )
      and (
          h.database_id is null
          or d.database_id = h.database_id
          or d.database_id is null and (
              d.database_name is null
              or exists (
                  select 1
                  from names as n
                  where n.source = h.source
                    and n.database_name = d.database_name
                    and n.database_id = h.database_id
              )
              or not exists (
                  select 1
                  from names as n
                  where n.source = h.source
                    and n.database_name = d.database_name
              )
          )
      )
),
used as (
    select
        source, span_number, event_key, user_id, operation, object, valid_from, valid_to, granted_by,
        min(used_at) as first_used_at, max(used_at) as last_used_at
    from own_uses
    group by source, span_number, event_key, user_id, operation, object, valid_from, valid_to, granted_by
),
named as (
    select source, user_id, min(email) as email
    from owners
    group by source, user_id
),
shown_events as (
    select event_key as hit_key, user_id, use_key as event_key
    from own_uses
    union all
    select u.event_key as hit_key, u.user_id, s.granted_event_key as event_key
    from used as u
    inner join short as s on s.span_number = u.span_number
    union all
    select u.event_key as hit_key, u.user_id, s.revoked_event_key as event_key
    from used as u
    inner join short as s on s.span_number = u.span_number
)
select
    u.valid_to as event_time,
    coalesce(n.email, 'user ' || u.user_id) as person,
    u.operation,
    u.object,
    u.valid_from as granted_at,
    u.granted_by,
    u.first_used_at,
    u.last_used_at,
    u.user_id,
    u.event_key,
    u.source
from used as u
left join named as n on n.source = u.source and cast(n.user_id as varchar) = u.user_id
order by
    event_time, person, operation, object, granted_at, granted_by, first_used_at, last_used_at, user_id,
    event_key, source
