-- One row per permission and span of time in which a policy held it, by whatever evidence follows without a gap
-- (access_timeline): known_from is log, snapshot or both; contradicted from a change in the log to the snapshot that
-- disagrees with it; `log, order unknown` where changes within one second leave it open. What is on a database ends
-- with it. reach is what it opens among databases (seed 000, What the service does): one, every database (manage
-- alone says so), those that the user made, or databases that are not shown.
create or replace view policy_rights as
with
pieces as (
    select
        source, subject_id as policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to,
        granted_by, granted_event_key,
        evidence = 'seen' or snapshot_id is not null as is_shown,
        case when evidence = 'contradicted' then 'contradicted' when is_uncertain then 'log, order unknown' end as doubt
    from access_timeline
    where subject_kind = 'policy'
),
joints as (
    select
        source, policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to,
        granted_by, granted_event_key, is_shown, doubt,
        -- Entries that differ in what else they say may overlap: they are one right.
        case
            when valid_from <= max(coalesce(valid_to, 'infinity'::timestamp)) over rights_before
                and doubt is not distinct from lag(doubt) over right_in_time then 0
            else 1
        end as opens
    from pieces
    window
        right_in_time as (
            partition by source, policy_id, resource_kind, operation, object_id, object_name
            order by valid_from nulls first, valid_to
        ),
        rights_before as (
            partition by source, policy_id, resource_kind, operation, object_id, object_name
            order by valid_from nulls first, valid_to
            rows between unbounded preceding and 1 preceding
        )
),
numbered as (
    select
        source, policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to,
        granted_by, granted_event_key, is_shown, doubt, opens,
        sum(opens) over (
            partition by source, policy_id, resource_kind, operation, object_id, object_name
            order by valid_from nulls first, valid_to
            rows between unbounded preceding and current row
        ) as place
    from joints
),
bounded as (
    select
        n.source, n.policy_id, p.policy_name, n.resource_kind, n.operation, n.object_id, n.object_name,
        case when count(*) = count(n.valid_from) then min(n.valid_from) end as valid_from,
        case when count(*) = count(n.valid_to) then max(n.valid_to) end as valid_to,
        max(n.granted_by) filter (where n.opens = 1) as granted_by,
        max(n.granted_event_key) filter (where n.opens = 1) as granted_event_key,
        coalesce(max(n.doubt), case
            when bool_and(n.is_shown) then 'snapshot'
            when bool_or(n.is_shown) then 'log and snapshot'
            else 'log'
        end) as known_from
    from numbered as n
    left join policies as p on p.source = n.source and p.policy_id = n.policy_id
    group by
        n.source, n.policy_id, p.policy_name, n.resource_kind, n.operation, n.object_id, n.object_name, n.place
)
select
    b.source, b.policy_id, b.policy_name, b.resource_kind, b.operation,
    case b.resource_kind when 'Databases' then b.object_id end as database_id,
    b.object_id,
    coalesce(b.object_name, case b.resource_kind when 'Databases' then d.database_name end) as object_name,
    case
        when b.resource_kind <> 'Databases' then null
        when b.object_id is not null then 'one database'
        when b.operation = 'owner_manage' then 'own databases'
        when b.operation = 'manage' then 'every database'
        else 'databases not shown'
    end as reach,
    b.valid_from,
    case when d.deleted_at < b.valid_to or b.valid_to is null then d.deleted_at else b.valid_to end as valid_to,
    b.granted_by, b.granted_event_key, b.known_from
from bounded as b
left join databases as d
    on b.resource_kind = 'Databases' and d.source = b.source and d.database_id = b.object_id
where coalesce(b.valid_from < b.valid_to, true)
  and coalesce(b.valid_from < d.deleted_at, true);

-- One row per permission of a user, way by which it comes, and span of time: through a set of their own, a
-- share, a flag, or a policy for as long as the user belongs to it and it holds the permission; beside them what
-- policies and roles the user belongs to. Of a flag that the log never speaks of, the user directory tells, its
-- first reading also for the time before. While a user is gone from the directory they can do nothing: whoever comes
-- back has a gap.
create or replace view user_access as
with
roles as (
    select
        source, resource_id as role_id,
        arg_max(nullif(resource_name, ''), {'at': event_time, 'name': resource_name}) as role_name
    from access_event_rows
    where canonical_name in ('role_create', 'role_delete') and is_successful
    group by source, resource_id
),
spans as (
    select
        source, subject_id, origin, resource_kind, operation, object_id, object_name,
        valid_from, valid_to, granted_by, granted_event_key,
        case
            when evidence = 'seen' then 'directory'
            when is_uncertain then 'log, order unknown'
            else 'log'
        end as known_from
    from access_timeline
    where subject_kind = 'user'
),
presence as (
    select
        source, user_id,
        lower(arg_max(email, valid_from)) as email,
        count(*) > count(valid_to) as is_listed
    from user_history
    group by source, user_id
),
meetings as (
    select
        source, user_id, valid_from, valid_to,
        case when lag(valid_to) over user_in_time = valid_from then 0 else 1 end as opens
    from user_history
    window user_in_time as (partition by source, user_id order by valid_from)
),
counted as (
    select
        source, user_id, valid_from, valid_to,
        sum(opens) over (
            partition by source, user_id order by valid_from
            rows between unbounded preceding and current row
        ) as place
    from meetings
),
-- When the directory listed somebody without a gap. It is read now and then, and the log knows better when they
-- came first, so the first stretch has no beginning.
stretches as (
    select
        source, user_id,
        case when place > 1 then min(valid_from) end as listed_from,
        case when count(*) = count(valid_to) then max(valid_to) end as listed_to
    from counted
    group by source, user_id, place
),
ways as (
    select
        s.source, s.subject_id, s.origin as way, p.policy_id, p.policy_name,
        s.resource_kind, s.operation, s.object_id,
        coalesce(s.object_name, p.policy_name, r.role_name) as object_name,
        s.valid_from, s.valid_to, s.granted_by, s.granted_event_key, s.known_from
    from spans as s
    left join policies as p
        on s.resource_kind = 'Policies' and s.origin = 'member'
        and p.source = s.source and p.policy_id = s.object_id
    left join roles as r
        on s.resource_kind = 'Roles' and s.origin = 'member' and r.source = s.source and r.role_id = s.object_id
    union all
    select
        m.source, m.subject_id, 'policy' as way, r.policy_id, r.policy_name,
        r.resource_kind, r.operation, r.object_id, r.object_name,
        case
            when coalesce(r.valid_from > m.valid_from, m.valid_from is null) then r.valid_from
            else m.valid_from
        end as valid_from,
        case
            when coalesce(r.valid_to < m.valid_to, m.valid_to is null) then r.valid_to
            else m.valid_to
        end as valid_to,
        case
            when coalesce(r.valid_from > m.valid_from, m.valid_from is null) then r.granted_by
            else m.granted_by
        end as granted_by,
        case
            when coalesce(r.valid_from > m.valid_from, m.valid_from is null) then r.granted_event_key
            else m.granted_event_key
        end as granted_event_key,
        case m.known_from when 'log' then r.known_from else m.known_from end as known_from
    from spans as m
    inner join policy_rights as r on r.source = m.source and r.policy_id = m.object_id
    where m.origin = 'member' and m.resource_kind = 'Policies'
      and coalesce(m.valid_from < r.valid_to, true)
      and coalesce(r.valid_from < m.valid_to, true)
),
-- What is on a database ends with it.
lasting as (
    select
        w.source, w.subject_id, w.way, w.policy_id, w.policy_name, w.resource_kind, w.operation, w.object_id,
        w.object_name, d.database_name, w.valid_from,
        case when d.deleted_at < w.valid_to or w.valid_to is null then d.deleted_at else w.valid_to end as ended_at,
        w.granted_by, w.granted_event_key, w.known_from
    from ways as w
    left join databases as d
        on w.resource_kind = 'Databases' and d.source = w.source and d.database_id = w.object_id
    where coalesce(w.valid_from < d.deleted_at, true)
)
select
    w.source, try_cast(w.subject_id as bigint) as user_id, p.email as user_email,
    coalesce(p.is_listed, false) as is_listed,
    w.way, w.policy_id, w.policy_name, w.resource_kind, w.operation,
    case w.resource_kind when 'Databases' then w.object_id end as database_id,
    w.object_id,
    coalesce(w.object_name, w.database_name) as object_name,
    case
        when w.resource_kind = 'Account' and w.operation in ('administrator', 'account_owner')
        then 'every database'
        when w.resource_kind <> 'Databases' then null
        when w.object_id is not null then 'one database'
        when w.operation = 'owner_manage' then 'own databases'
        when w.operation = 'manage' then 'every database'
        else 'databases not shown'
    end as reach,
    case
        when coalesce(t.listed_from > w.valid_from, w.valid_from is null) then t.listed_from
        else w.valid_from
    end as valid_from,
    case
        when coalesce(t.listed_to < w.ended_at, w.ended_at is null) then t.listed_to
        else w.ended_at
    end as valid_to,
    w.granted_by, w.granted_event_key, w.known_from
from lasting as w
left join presence as p on p.source = w.source and p.user_id = try_cast(w.subject_id as bigint)
left join stretches as t on t.source = w.source and t.user_id = try_cast(w.subject_id as bigint)
where coalesce(w.valid_from < t.listed_to, true)
  and coalesce(t.listed_from < w.ended_at, true);
