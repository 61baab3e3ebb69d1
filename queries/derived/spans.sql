-- One row per permission and span of time in which a policy or a user held it, as far as the log tells:
-- [valid_from, valid_to), valid_from null where it was held before the log speaks of it, valid_to null while it
-- is held. A change says what is held from then on; before the first change it is what that one found, back to
-- where the policy was made. A policy or a user that is deleted holds nothing. Changes of one second have no
-- order: what as many of them leave as find counts as left. origin: set (of a policy, or a user's own), share (of
-- one database), member (of a policy or role), flag (administrator, account_owner).
insert into permission_span_rows (
    source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
    valid_from, valid_to, granted_by_user_id, granted_by_user_email, granted_event_key,
    revoked_by_user_id, revoked_by_user_email, revoked_event_key, is_ended_with_owner
)
with
marks as (
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time,
        {
            'by': coalesce(m.user_email, 'user ' || cast(m.user_id as varchar), 'unknown'),
            'key': m.event_key, 'user_id': m.user_id, 'email': m.user_email
        } as cause,
        m.resource_kind, m.operation, m.object_id, m.object_name, m.is_held_before, m.is_held_after
    from permission_mark_rows as m
    semi join touched_series as t
        on t.source = m.source and t.subject_kind = m.subject_kind and t.subject_id = m.subject_id
        and t.origin = m.origin and t.scope_id = m.scope_id
    where m.is_statement and m.subject_id <> ''
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
            'by': coalesce(user_email, 'user ' || cast(user_id as varchar), 'unknown'),
            'key': event_key, 'user_id': user_id, 'email': user_email
        } as cause,
        canonical_name = 'user_delete' as is_of_user
    from access_event_rows
    where canonical_name in ('permission_policy_delete', 'user_delete')
      and is_successful
      and resource_id <> ''
),
creations as (
    select source, resource_id as policy_id, event_time
    from access_event_rows
    where canonical_name = 'permission_policy_create' and is_successful
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
    s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, s.resource_kind, s.operation,
    s.object_id, s.object_name, s.valid_from, s.valid_to,
    s.granting.user_id as granted_by_user_id, s.granting.email as granted_by_user_email,
    s.granting.key as granted_event_key,
    coalesce(r.revoking, m.ending).user_id as revoked_by_user_id,
    coalesce(r.revoking, m.ending).email as revoked_by_user_email,
    coalesce(r.revoking, m.ending).key as revoked_event_key,
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
