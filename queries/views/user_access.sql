-- One row per permission of a policy and interval of consecutive evidence without a gap (access_timeline). known_from
-- is log, snapshot or both; `contradicted` from a change in the log to the snapshot that disagrees with it; `log, order
-- unknown` if changes within one second leave it open; `gap in the log` from a gap in the ledger to the next evidence,
-- and held_since reaches back over it. Rights on a database end with the database. reach names the databases that it
-- opens (seed 000, What the service does): one, every database (only manage shows so), those that the user made, or
-- databases that are not shown.
create or replace view policy_rights as
select
    r.source, r.policy_id, p.policy_name, r.resource_kind, r.operation,
    case r.resource_kind when 'Databases' then r.object_id end as database_id,
    r.object_id,
    -- What only binds a right stands behind the name or id of its object.
    coalesce(
        case when r.object_name like '(%' then concat_ws(' ',
            coalesce(case r.resource_kind when 'Databases' then d.database_name end, r.object_id), r.object_name
        ) end,
        r.object_name, case r.resource_kind when 'Databases' then d.database_name end
    ) as object_name,
    case
        when r.resource_kind <> 'Databases' then null
        when r.object_id is not null then 'one database'
        when r.operation = 'owner_manage' then 'own databases'
        when r.operation = 'manage' then 'every database'
        else 'databases not shown'
    end as reach,
    case when r.resource_kind = 'Databases' then case r.operation
        when 'manage' then 'full access'
        when 'download' then 'limited access'
        when 'owner_manage' then 'manage own'
        when 'import' then 'import only'
        when 'query' then 'query only'
        when 'edit' then 'general'
    end end as category,
    r.valid_from,
    case when d.deleted_at < r.valid_to or r.valid_to is null then d.deleted_at else r.valid_to end as valid_to,
    r.held_since,
    case when r.granted_event_key is not null then coalesce(
        r.granted_by_user_email, lower(g.email), 'user ' || cast(r.granted_by_user_id as varchar), 'unknown'
    ) end as granted_by,
    lower(hex(cast(r.granted_event_key as blob))) as granted_event_key,
    r.known_from,
    r.known_from not in ('contradicted', 'log, order unknown', 'snapshot, time unknown', 'gap in the log') as is_certain
from policy_right_rows as r
left join policies as p on p.source = r.source and p.policy_id = r.policy_id
left join databases as d
    on d.source = r.source and d.database_id = case r.resource_kind when 'Databases' then r.object_id end
left join last_known_users as g on g.source = r.source and g.user_id = r.granted_by_user_id
where coalesce(r.valid_from < r.valid_to, true)
  and coalesce(r.valid_from < d.deleted_at, true);

-- One row per permission of a user, way and interval. The way is a set of the user's own, a share, a flag, or a policy.
-- A policy counts while the user belongs to it and it has the permission; memberships of policies and roles are rows,
-- too. A flag that the log never names comes from the user directory, whose first reading also counts for the time
-- before. While a user is missing from the directory, they have no access, so a user who returns has an interruption.
-- way_from and way_to bound the way, right_from and right_to the policy's right, as they are stored. A query for a
-- moment should filter these columns as well, so that nothing else is joined.
create or replace view user_access as
with
roles as (
    select source, role_id, role_name
    from (
        select
            source, resource_id as role_id, resource_name as role_name,
            row_number() over (
                partition by source, resource_id order by event_time desc, resource_name desc
            ) as place
        from access_event_rows
        where canonical_name in ('role_create', 'role_delete') and is_successful and resource_name <> ''
    ) as named
    where place = 1
),
presence as (
    select
        source, user_id,
        lower(max_by(email, valid_from) filter (where email is not null)) as email,
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
-- Intervals in which the directory listed a user. Readings are rare and the log shows better when a user appeared, so
-- the first interval has no start.
stretches as (
    select
        source, cast(user_id as varchar) as subject_id,
        case when place > 1 then min(valid_from) end as listed_from,
        case when count(*) = count(valid_to) then max(valid_to) end as listed_to
    from counted
    group by source, user_id, place
),
-- What users have of their own and belong to, while the directory listed them.
own as (
    select
        a.source, a.subject_id, a.origin, a.resource_kind, a.operation, a.object_id, a.object_name,
        case when coalesce(t.listed_from > a.valid_from, a.valid_from is null) then t.listed_from else a.valid_from end
            as valid_from,
        -- The earliest known value; engines differ in `least` with null.
        least(coalesce(a.valid_to, t.listed_to), coalesce(t.listed_to, a.valid_to)) as valid_to,
        case when coalesce(t.listed_from > a.held_since, a.held_since is null) then t.listed_from else a.held_since end
            as held_since,
        a.granted_by_user_id, a.granted_by_user_email, a.granted_event_key,
        case
            when a.evidence = 'unknown' then 'gap in the log'
            when a.evidence = 'seen' then 'directory'
            when a.is_uncertain then 'log, order unknown'
            else 'log'
        end as known_from,
        a.valid_from as way_from, a.valid_to as way_to
    from access_timeline_rows as a
    left join stretches as t on t.source = a.source and t.subject_id = a.subject_id
    where a.subject_kind = 'user'
      and coalesce(a.valid_from < t.listed_to, true)
      and coalesce(t.listed_from < a.valid_to, true)
),
ways as (
    select
        source, subject_id, origin as way, cast(null as varchar) as set_policy_id,
        case when resource_kind = 'Policies' and origin = 'member' then object_id end as policy_id,
        case when resource_kind = 'Roles' and origin = 'member' then object_id end as role_id,
        resource_kind, operation, object_id, object_name, valid_from, valid_to, held_since,
        granted_by_user_id, granted_by_user_email, granted_event_key, known_from,
        way_from, way_to, way_from as right_from, way_to as right_to
    from own
    union all
    select
        m.source, m.subject_id, 'policy' as way, r.policy_id as set_policy_id, r.policy_id,
        cast(null as varchar) as role_id,
        r.resource_kind, r.operation, r.object_id, r.object_name,
        case
            when coalesce(r.valid_from > m.valid_from, m.valid_from is null) then r.valid_from
            else m.valid_from
        end as valid_from,
        least(coalesce(r.valid_to, m.valid_to), coalesce(m.valid_to, r.valid_to)) as valid_to,
        case
            when coalesce(r.held_since > m.held_since, m.held_since is null) then r.held_since
            else m.held_since
        end as held_since,
        case
            when coalesce(r.held_since > m.held_since, m.held_since is null) then r.granted_by_user_id
            else m.granted_by_user_id
        end as granted_by_user_id,
        case
            when coalesce(r.held_since > m.held_since, m.held_since is null) then r.granted_by_user_email
            else m.granted_by_user_email
        end as granted_by_user_email,
        case
            when coalesce(r.held_since > m.held_since, m.held_since is null) then r.granted_event_key
            else m.granted_event_key
        end as granted_event_key,
        case m.known_from when 'log' then r.known_from else m.known_from end as known_from,
        m.way_from, m.way_to, r.valid_from as right_from, r.valid_to as right_to
    from own as m
    inner join policy_right_rows as r on r.source = m.source and r.policy_id = m.object_id
    where m.origin = 'member' and m.resource_kind = 'Policies'
      and coalesce(r.valid_from < r.valid_to, true)
      and coalesce(m.valid_from < r.valid_to, true)
      and coalesce(r.valid_from < m.valid_to, true)
)
select
    w.source, try_cast(w.subject_id as bigint) as user_id, p.email as user_email,
    coalesce(p.email, 'user ' || cast(try_cast(w.subject_id as bigint) as varchar)) as person,
    coalesce(p.is_listed, false) as is_listed,
    w.way, coalesce(w.set_policy_id, o.policy_id) as policy_id, o.policy_name, w.resource_kind, w.operation,
    case w.resource_kind when 'Databases' then w.object_id end as database_id,
    w.object_id,
    -- What only binds a right stands behind the name or id of its object.
    coalesce(
        case when w.object_name like '(%'
        then concat_ws(' ', coalesce(d.database_name, w.object_id), w.object_name) end,
        w.object_name, case w.way when 'member' then coalesce(o.policy_name, l.role_name) end, d.database_name
    ) as object_name,
    case
        when w.resource_kind = 'Account' and w.operation in ('administrator', 'account_owner')
        then 'every database'
        when w.resource_kind <> 'Databases' then null
        when w.object_id is not null then 'one database'
        when w.operation = 'owner_manage' then 'own databases'
        when w.operation = 'manage' then 'every database'
        else 'databases not shown'
    end as reach,
    case when w.resource_kind = 'Databases' then case w.operation
        when 'manage' then 'full access'
        when 'download' then 'limited access'
        when 'owner_manage' then 'manage own'
        when 'import' then 'import only'
        when 'query' then 'query only'
        when 'edit' then 'general'
    end end as category,
    w.valid_from,
    -- What is on a database ends with it.
    case when d.deleted_at < w.valid_to or w.valid_to is null then d.deleted_at else w.valid_to end as valid_to,
    w.held_since,
    case when w.granted_event_key is not null then coalesce(
        w.granted_by_user_email, lower(g.email), 'user ' || cast(w.granted_by_user_id as varchar), 'unknown'
    ) end as granted_by,
    lower(hex(cast(w.granted_event_key as blob))) as granted_event_key, w.known_from,
    w.known_from not in ('contradicted', 'log, order unknown', 'snapshot, time unknown', 'gap in the log') as is_certain,
    w.way_from, w.way_to, w.right_from, w.right_to
from ways as w
left join presence as p on p.source = w.source and cast(p.user_id as varchar) = w.subject_id
left join policies as o on o.source = w.source and o.policy_id = w.policy_id
left join roles as l on l.source = w.source and l.role_id = w.role_id
left join databases as d
    on d.source = w.source and d.database_id = case w.resource_kind when 'Databases' then w.object_id end
left join last_known_users as g on g.source = w.source and g.user_id = w.granted_by_user_id
where coalesce(w.valid_from < d.deleted_at, true);
