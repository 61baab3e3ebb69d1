-- One row per permission and span of time in which a policy or a user held it, as far as the log tells:
-- [valid_from, valid_to), valid_from null where it was held before the log speaks of it, valid_to null while it
-- is held. A change says what is held from then on; before the first change it is what that one found, back to
-- where the policy was made. A policy or a user that is deleted holds nothing. Changes of one second have no
-- order: what as many of them leave as find counts as left. origin: set (of a policy, or a user's own), share (of
-- one database), member (of a policy or role), flag (administrator, account_owner).
create or replace temp view folded_permission_spans as
with
marks as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        {'by': actor, 'key': event_key} as cause,
        resource_kind, operation, object_id, object_name, is_held_before, is_held_after
    from folded_permission_marks
    where is_statement and subject_id <> ''
),
-- What is changed as one: a set, a share, a flag, somebody's membership.
series as (
    select distinct
        source, subject_kind, subject_id, origin, scope_id,
        case
            when subject_kind = 'policy' then subject_id
            when resource_kind = 'Policies' and origin = 'member' then object_id
        end as policy_id,
        case when subject_kind = 'user' then subject_id end as user_id
    from marks
),
deletions as (
    select
        source, event_time, resource_id,
        {
            'by': coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown'),
            'key': event_key
        } as cause,
        canonical_name = 'user_delete' as is_of_user
    from events
    where canonical_name in ('permission_policy_delete', 'user_delete')
      and outcome = 'succeeded'
      and resource_id <> ''
),
creations as (
    select source, resource_id as policy_id, event_time
    from events
    where canonical_name = 'permission_policy_create' and outcome = 'succeeded'
),
statements as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        null as ending
    from marks
    union all
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, b.event_time,
        b.cause as ending
    from series as s
    inner join deletions as b on b.source = s.source and b.resource_id = s.policy_id and not b.is_of_user
    union all
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, b.event_time,
        b.cause as ending
    from series as s
    inner join deletions as b on b.source = s.source and b.resource_id = s.user_id and b.is_of_user
),
seconds as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        min(ending) as ending
    from statements
    group by source, subject_kind, subject_id, origin, scope_id, event_time
),
moments as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time, ending,
        lead(event_time) over series_in_time as next_time,
        row_number() over series_in_time as position
    from seconds
    window series_in_time as (
        partition by source, subject_kind, subject_id, origin, scope_id order by event_time
    )
),
firsts as (
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time,
        max(c.event_time) as created_at
    from moments as m
    inner join series as s
        on s.source = m.source and s.subject_kind = m.subject_kind and s.subject_id = m.subject_id
        and s.origin = m.origin and s.scope_id = m.scope_id
    left join creations as c
        on c.source = s.source and c.policy_id = s.policy_id and c.event_time <= m.event_time
    where m.position = 1
    group by m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time
),
rights as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name,
        count(*) filter (where is_held_before) as found,
        count(*) filter (where is_held_after) as left_held,
        min(cause) filter (where is_held_after and not is_held_before) as granting,
        min(cause) filter (where is_held_before and not is_held_after) as revoking
    from marks
    where operation is not null
    group by
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name
),
placed as (
    select
        r.source, r.subject_kind, r.subject_id, r.origin, r.scope_id, r.event_time,
        r.resource_kind, r.operation, r.object_id, r.object_name,
        r.granting,
        r.left_held > 0 and r.left_held >= r.found and m.ending is null as is_left,
        r.found > 0 and r.found >= r.left_held as is_found,
        m.next_time
    from rights as r
    inner join moments as m
        on m.source = r.source and m.subject_kind = r.subject_kind and m.subject_id = r.subject_id
        and m.origin = r.origin and m.scope_id = r.scope_id and m.event_time = r.event_time
),
pieces as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        event_time as valid_from, next_time as valid_to, granting
    from placed
    where is_left
    union all
    select
        p.source, p.subject_kind, p.subject_id, p.origin, p.scope_id,
        p.resource_kind, p.operation, p.object_id, p.object_name,
        f.created_at as valid_from, p.event_time as valid_to, null as granting
    from placed as p
    inner join firsts as f
        on f.source = p.source and f.subject_kind = p.subject_kind and f.subject_id = p.subject_id
        and f.origin = p.origin and f.scope_id = p.scope_id and f.event_time = p.event_time
    where p.is_found and f.created_at is distinct from p.event_time
),
-- A piece that follows another without a gap belongs to the same span.
joints as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        valid_from, valid_to, granting,
        case when valid_from = lag(valid_to) over right_in_time then 0 else 1 end as opens
    from pieces
    window right_in_time as (
        partition by
            source, subject_kind, subject_id, origin, scope_id,
            resource_kind, operation, object_id, object_name
        order by valid_from nulls first
    )
),
numbered as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        valid_from, valid_to, granting, opens,
        sum(opens) over (
            partition by
                source, subject_kind, subject_id, origin, scope_id,
                resource_kind, operation, object_id, object_name
            order by valid_from nulls first
            rows between unbounded preceding and current row
        ) as place
    from joints
),
spans as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        case when count(*) = count(valid_from) then min(valid_from) end as valid_from,
        case when count(*) = count(valid_to) then max(valid_to) end as valid_to,
        min(granting) filter (where opens = 1) as granting
    from numbered
    group by
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        place
)
select
    s.source, s.subject_kind, s.subject_id, s.origin, s.resource_kind, s.operation,
    case s.resource_kind when 'Databases' then s.object_id end as database_id,
    s.object_id, s.object_name, s.valid_from, s.valid_to,
    s.granting.by as granted_by, s.granting.key as granted_event_key,
    coalesce(r.revoking, m.ending).by as revoked_by, coalesce(r.revoking, m.ending).key as revoked_event_key,
    r.revoking is null and m.ending is not null as is_ended_with_owner
from spans as s
left join rights as r
    on r.source = s.source and r.subject_kind = s.subject_kind and r.subject_id = s.subject_id
    and r.origin = s.origin and r.scope_id = s.scope_id and r.event_time = s.valid_to
    and r.resource_kind = s.resource_kind and r.operation = s.operation
    and r.object_id is not distinct from s.object_id and r.object_name is not distinct from s.object_name
left join moments as m
    on m.source = s.source and m.subject_kind = s.subject_kind and m.subject_id = s.subject_id
    and m.origin = s.origin and m.scope_id = s.scope_id and m.event_time = s.valid_to;

-- One row per policy that the log names: its last name, when it was made and deleted; null where the log does
-- not tell. One that is changed after its deletion is there again.
create or replace temp view folded_policies as
with
mentions as (
    select
        source, resource_id as policy_id, nullif(resource_name, '') as policy_name, event_time,
        {'at': event_time, 'name': resource_name} as name_rank,
        canonical_name = 'permission_policy_create' as is_made,
        canonical_name = 'permission_policy_delete' as is_deleted
    from events
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user'
    )
      and outcome = 'succeeded'
      and resource_id <> ''
)
select
    source, policy_id,
    arg_max(policy_name, name_rank) as policy_name,
    max(event_time) filter (where is_made) as created_at,
    case
        when max(event_time) = max(event_time) filter (where is_deleted) then max(event_time)
    end as deleted_at
from mentions
group by source, policy_id;

-- One row per span of time in which a user belonged to a policy, as far as the log tells.
create or replace temp view folded_policy_members as
select
    s.source, s.object_id as policy_id, p.policy_name, cast(s.subject_id as bigint) as user_id,
    s.valid_from, s.valid_to, s.granted_by as attached_by, s.granted_event_key as attached_event_key,
    s.revoked_by as detached_by, s.revoked_event_key as detached_event_key
from folded_permission_spans as s
left join folded_policies as p on p.source = s.source and p.policy_id = s.object_id
where s.origin = 'member' and s.resource_kind = 'Policies';

-- One row per database that the log names: its last name, and who made it.
create or replace temp view folded_databases as
with
mentions as (
    select
        source, resource_id as database_id, nullif(resource_name, '') as database_name, user_id,
        {'at': event_time, 'name': resource_name} as name_rank,
        {'at': event_time, 'user_id': user_id} as maker_rank,
        canonical_name = 'database_create' as is_made
    from events
    where canonical_name in (
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and outcome = 'succeeded'
      and resource_id <> ''
)
select
    source, database_id,
    arg_max(database_name, name_rank) as database_name,
    arg_max(user_id, maker_rank) filter (where is_made) as creator_user_id
from mentions
group by source, database_id;
