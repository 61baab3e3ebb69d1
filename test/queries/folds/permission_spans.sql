-- One row per permission and span of time in which a policy or a user held it, as far as the log shows:
-- [valid_from, valid_to), valid_from null where it was held before the log speaks of it, valid_to null while it
-- is held. A change says what is held from then on; before the first change it is what that one found, back to
-- where the policy was made. A policy or a user that is deleted holds nothing. origin: set (of a policy, or a user's
-- own), share (of one database), member (of a policy or role), flag (administrator, account_owner).
-- Changes of one second have no order of their own. What all of them leave, or none, is certain. Else one that is
-- left more often than found is held, one found more often is not. Where they are equal, the sets decide where they make
-- a chain with two ends, and else it is as before. With nothing known before, the places of the records decide, where the
-- pages of the source all run one way. What is still open counts as held, and is_uncertain says so.
-- To attach a member again, or to promote an administrator, is recorded as if it were the first time. So where users
-- were attached and detached in one second and counts say held, only a last place that says so makes it certain.
create or replace temp view folded_permission_spans as
with
marks as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        {'by': actor, 'key': event_key} as cause,
        event_key, resource_kind, operation, object_id, object_name, is_held_before, is_held_after,
        {'kind': resource_kind, 'operation': operation, 'id': object_id, 'name': object_name} as permission
    from folded_permission_marks
    where is_statement and subject_id <> ''
),
-- What is changed as a unit: a set, a share, a flag, a user's membership.
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
    select
        source, resource_id as policy_id, event_time,
        {
            'by': coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown'),
            'key': event_key
        } as cause
    from events
    where canonical_name = 'permission_policy_create' and outcome = 'succeeded'
),
stood as (
    select
        e.event_key, e.source, e.event_time, r.read_id, r.page_number, r.record_number
    from events as e
    inner join event_rows as r
        on r.source = e.source and r.event_time = e.event_time
        and replace(cast(r.event_key as varchar), '-', '') = e.event_key
    where e.canonical_name in (
        'permission_policy_modify', 'permission_modify', 'database_permission_modify', 'user_modify',
        'permission_policy_attach_user', 'permission_policy_detach_user', 'role_create', 'role_delete',
        'permission_policy_create', 'permission_policy_delete', 'user_delete',
        'database_create', 'database_modify', 'database_delete'
    )
),
pages as (
    select e.source, list(e.event_time order by e.record_number) as times
    from event_rows as e
    semi join stood as s
        on s.source = e.source and s.read_id = e.read_id and s.page_number = e.page_number
    group by e.source, e.read_id, e.page_number
    having min(e.event_time) < max(e.event_time)
),
directions as (
    select source, case when bool_and(times = list_sort(times)) then 1 else -1 end as direction
    from pages
    group by source
    having bool_and(times = list_sort(times)) or bool_and(times = list_reverse_sort(times))
),
statements as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        null as ending, false as is_of_user
    from marks
    union all
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, b.event_time,
        b.cause as ending, b.is_of_user
    from series as s
    inner join deletions as b on b.source = s.source and b.resource_id = s.policy_id and not b.is_of_user
    union all
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, b.event_time,
        b.cause as ending, b.is_of_user
    from series as s
    inner join deletions as b on b.source = s.source and b.resource_id = s.user_id and b.is_of_user
    union all
    -- An id that is used again: its first policy was deleted, though the log does not show it.
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, c.event_time,
        min(c.cause) as ending, false as is_of_user
    from series as s
    inner join creations as c on c.source = s.source and c.policy_id = s.subject_id
    inner join marks as m
        on m.source = s.source and m.subject_kind = s.subject_kind and m.subject_id = s.subject_id
        and m.origin = s.origin and m.scope_id = s.scope_id
    where s.subject_kind = 'policy'
    group by s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, c.event_time
    having min(m.event_time) < c.event_time and not bool_or(m.event_time = c.event_time)
),
seconds as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        -- Where a policy and a user go, it ends with the policy.
        (min({'is_of_user': is_of_user, 'cause': ending}) filter (where ending is not null)).cause as ending
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
-- The seconds with several changes of one thing.
crowds as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        count(distinct event_key) as changes,
        bool_and(is_held_before is not null) as is_before_read
    from marks
    group by source, subject_kind, subject_id, origin, scope_id, event_time
    having count(distinct event_key) > 1
),
sets as (
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time, m.event_key,
        list_sort(coalesce(list(m.permission) filter (where m.operation is not null and m.is_held_before), []))
            as found_set,
        list_sort(coalesce(list(m.permission) filter (where m.operation is not null and m.is_held_after), []))
            as left_set
    from marks as m
    semi join crowds as c
        on c.source = m.source and c.subject_kind = m.subject_kind and c.subject_id = m.subject_id
        and c.origin = m.origin and c.scope_id = m.scope_id and c.event_time = m.event_time
    group by m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time, m.event_key
),
ends as (
    select source, subject_kind, subject_id, origin, scope_id, event_time, found_set as held, 1 as side
    from sets
    union all
    select source, subject_kind, subject_id, origin, scope_id, event_time, left_set as held, -1 as side
    from sets
),
open_ends as (
    select source, subject_kind, subject_id, origin, scope_id, event_time, held, sum(side) as side
    from ends
    group by source, subject_kind, subject_id, origin, scope_id, event_time, held
    having sum(side) <> 0
),
-- One set that is found one time more often than left, and one that is left one time more often than found.
chains as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        max(held) filter (where side = 1) as first_set,
        max(held) filter (where side = -1) as last_set
    from open_ends
    group by source, subject_kind, subject_id, origin, scope_id, event_time
    having count(*) = 2 and max(side) = 1 and min(side) = -1
),
places as (
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, s.event_time,
        s.found_set, s.left_set, a.read_id,
        {'page': a.page_number * d.direction, 'record': a.record_number * d.direction} as place
    from sets as s
    inner join stood as a
        on a.source = s.source and a.event_time = s.event_time and a.event_key = s.event_key
    inner join directions as d on d.source = s.source
),
orders as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        arg_min(found_set, place) as first_set,
        arg_max(left_set, place) as last_set
    from places
    group by source, subject_kind, subject_id, origin, scope_id, event_time
    having min(read_id) = max(read_id)
),
rights as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name, permission,
        count(*) filter (where is_held_before) as found,
        count(*) filter (where is_held_after) as left_held,
        min(cause) filter (where is_held_after and not is_held_before) as granting,
        min(cause) filter (where is_held_before and not is_held_after) as revoking
    from marks
    where operation is not null
    group by
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name, permission
),
-- What the changes of a second say by themselves; is_again: one of them may have given what was there already.
verdicts as (
    select
        r.source, r.subject_kind, r.subject_id, r.origin, r.scope_id, r.event_time,
        r.resource_kind, r.operation, r.object_id, r.object_name, r.granting,
        r.found, r.left_held,
        coalesce(c.changes, 1) as changes,
        r.origin in ('member', 'flag') as is_again,
        c.is_before_read and r.found = r.left_held as is_balanced,
        c.is_before_read and abs(r.left_held - r.found) = 1 as is_counted,
        case when r.origin in ('set', 'share') then list_contains(h.first_set, r.permission) end as chain_first,
        case when r.origin in ('set', 'share') then list_contains(h.last_set, r.permission) end as chain_last,
        list_contains(o.first_set, r.permission) as order_first,
        list_contains(o.last_set, r.permission) as order_last,
        m.ending is not null as is_ending, m.next_time, m.position
    from rights as r
    inner join moments as m
        on m.source = r.source and m.subject_kind = r.subject_kind and m.subject_id = r.subject_id
        and m.origin = r.origin and m.scope_id = r.scope_id and m.event_time = r.event_time
    left join crowds as c
        on c.source = r.source and c.subject_kind = r.subject_kind and c.subject_id = r.subject_id
        and c.origin = r.origin and c.scope_id = r.scope_id and c.event_time = r.event_time
    left join chains as h
        on h.source = r.source and h.subject_kind = r.subject_kind and h.subject_id = r.subject_id
        and h.origin = r.origin and h.scope_id = r.scope_id and h.event_time = r.event_time
    left join orders as o
        on o.source = r.source and o.subject_kind = r.subject_kind and o.subject_id = r.subject_id
        and o.origin = r.origin and o.scope_id = r.scope_id and o.event_time = r.event_time
),
-- In these columns 0 is not held, 1 is held, 2 is open, and null waits for what was before.
judged as (
    select
        t.source, t.subject_kind, t.subject_id, t.origin, t.scope_id, t.event_time,
        t.resource_kind, t.operation, t.object_id, t.object_name, t.granting, t.next_time, t.is_again,
        t.left_held > 0 and t.left_held < t.changes and t.left_held >= t.found as is_mixed,
        t.order_last,
        case
            when t.is_ending or t.left_held = 0 then 0
            when t.left_held = t.changes then 1
            when t.is_again and t.left_held <> t.found then cast(t.left_held > t.found as integer)
            when t.is_counted then cast(t.left_held > t.found as integer)
            when t.is_balanced and t.chain_last is not null then cast(t.chain_last as integer)
            when not t.is_balanced then coalesce(cast(t.order_last as integer), 2)
            when t.position > 1 and coalesce(
                lag(t.position) over right_in_time < t.position - 1, lag(t.position) over right_in_time is null
            ) then 0
            when t.position = 1 and t.origin = 'member' and f.created_at is not null then 0
        end as by_itself,
        coalesce(cast(t.chain_last as integer), cast(t.order_last as integer)) as by_order,
        case
            when t.position > 1 or f.created_at = t.event_time or t.found = 0 then 0
            when t.found = t.changes then 1
            when t.is_again and t.origin = 'member' and t.is_balanced and f.created_at is not null then 0
            when t.is_again and t.left_held < t.found then 1
            when t.is_again and t.left_held > t.found then coalesce(cast(t.order_first as integer), 0)
            when t.is_counted then cast(t.found > t.left_held as integer)
            else coalesce(
                case when t.is_balanced then cast(t.chain_first as integer) end, cast(t.order_first as integer), 2
            )
        end as at_first,
        f.created_at
    from verdicts as t
    left join firsts as f
        on f.source = t.source and f.subject_kind = t.subject_kind and f.subject_id = t.subject_id
        and f.origin = t.origin and f.scope_id = t.scope_id and f.event_time = t.event_time
    window right_in_time as (
        partition by
            t.source, t.subject_kind, t.subject_id, t.origin, t.scope_id,
            t.resource_kind, t.operation, t.object_id, t.object_name
        order by t.event_time
    )
),
followed as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name, granting, next_time, is_again, is_mixed, order_last,
        at_first, created_at,
        case
            when by_itself is not null then by_itself
            when coalesce(last_value(by_itself ignore nulls) over before_it, 2) = 2 then by_order
        end as settled
    from judged
    window before_it as (
        partition by
            source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name
        order by event_time
        rows between unbounded preceding and 1 preceding
    )
),
placed as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        resource_kind, operation, object_id, object_name, granting, next_time, is_again, is_mixed, order_last,
        at_first, created_at,
        coalesce(last_value(settled ignore nulls) over until_it, 2) as held
    from followed
    window until_it as (
        partition by
            source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name
        order by event_time
        rows between unbounded preceding and current row
    )
),
pieces as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        event_time as valid_from, next_time as valid_to, granting,
        held = 2 or is_again and is_mixed and not coalesce(order_last, false) as is_uncertain
    from placed
    where held > 0
    union all
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        created_at as valid_from, event_time as valid_to, null as granting,
        at_first = 2 as is_uncertain
    from placed
    where at_first > 0
),
-- A piece that follows another without a gap, as certain as that, belongs to the same span.
joints as (
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
        valid_from, valid_to, granting, is_uncertain,
        case
            when valid_from = lag(valid_to) over right_in_time
                and is_uncertain = lag(is_uncertain) over right_in_time then 0
            else 1
        end as opens
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
        valid_from, valid_to, granting, is_uncertain, opens,
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
        min(granting) filter (where opens = 1) as granting,
        bool_or(is_uncertain) as is_uncertain
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
    r.revoking is null and m.ending is not null as is_ended_with_owner,
    s.is_uncertain
from spans as s
left join rights as r
    on r.source = s.source and r.subject_kind = s.subject_kind and r.subject_id = s.subject_id
    and r.origin = s.origin and r.scope_id = s.scope_id and r.event_time = s.valid_to
    and r.resource_kind = s.resource_kind and r.operation = s.operation
    and r.object_id is not distinct from s.object_id and r.object_name is not distinct from s.object_name
left join moments as m
    on m.source = s.source and m.subject_kind = s.subject_kind and m.subject_id = s.subject_id
    and m.origin = s.origin and m.scope_id = s.scope_id and m.event_time = s.valid_to;

-- Whether a policy or a database is deleted: by its last second, and where that is even by the last one before that is not.
create or replace temp view folded_goings as
with
seconds as (
    select
        source, resource_id, canonical_name like 'database%' as is_database, event_time, true as is_logged,
        count(*) filter (where canonical_name like '%_create') as made,
        count(*) filter (where canonical_name like '%_delete') as deleted
    from events
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user',
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and outcome = 'succeeded'
      and resource_id <> ''
    group by all
    union all
    select source, policy_id, false, read_at, false, 0, cast(state = 'gone' as integer)
    from policy_snapshots
)
select
    source, resource_id, is_database,
    max(event_time) filter (where deleted > 0 and is_logged) as deleted_at
from seconds
group by source, resource_id, is_database
having coalesce(
    arg_max(made < deleted, event_time) filter (where made <> deleted or made = 0),
    true
);

-- One row per policy that the log names: its last name, when it was made and deleted.
create or replace temp view folded_policies as
select
    e.source, e.resource_id as policy_id,
    arg_max(nullif(e.resource_name, ''), {'at': e.event_time, 'name': e.resource_name}) as policy_name,
    max(e.event_time) filter (where e.canonical_name = 'permission_policy_create') as created_at,
    any_value(g.deleted_at) as deleted_at
from events as e
left join folded_goings as g on g.source = e.source and g.resource_id = e.resource_id and not g.is_database
where e.canonical_name in (
    'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
    'permission_policy_attach_user', 'permission_policy_detach_user'
)
  and e.outcome = 'succeeded'
  and e.resource_id <> ''
group by e.source, e.resource_id;

-- One row per span of time in which a user belonged to a policy, as far as the log shows.
create or replace temp view folded_policy_members as
select
    s.source, s.object_id as policy_id, p.policy_name, cast(s.subject_id as bigint) as user_id,
    s.valid_from, s.valid_to, s.granted_by as attached_by, s.granted_event_key as attached_event_key,
    s.revoked_by as detached_by, s.revoked_event_key as detached_event_key
from folded_permission_spans as s
left join folded_policies as p on p.source = s.source and p.policy_id = s.object_id
where s.origin = 'member' and s.resource_kind = 'Policies';

-- One row per database that the log names: its last name, who made it, and when it was deleted.
create or replace temp view folded_databases as
select
    e.source, e.resource_id as database_id,
    arg_max(nullif(e.resource_name, ''), {'at': e.event_time, 'name': e.resource_name}) as database_name,
    arg_max(e.user_id, {'at': e.event_time, 'user_id': e.user_id})
        filter (where e.canonical_name = 'database_create') as creator_user_id,
    any_value(g.deleted_at) as deleted_at
from events as e
left join folded_goings as g on g.source = e.source and g.resource_id = e.resource_id and g.is_database
where e.canonical_name in (
    'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
)
  and e.outcome = 'succeeded'
  and e.resource_id <> ''
group by e.source, e.resource_id;
