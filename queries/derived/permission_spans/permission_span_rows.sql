-- One row per permission and span of time [valid_from, valid_to) in which a policy or a user held it, as far as the log
-- shows. valid_from is null where it was held before the log begins with it, valid_to while it is held. A change states
-- what is held from then on. Before the first change it is what that one found, back to the creation of the policy.
-- origin is set (of a policy, or a user's own), share (of one database), member (of a policy or role) or flag
-- (administrator, account_owner). What is still open counts as held, and is_uncertain marks it.
insert into permission_span_rows (
    source, subject_kind, subject_id, origin, scope_id, resource_kind, operation, object_id, object_name,
    valid_from, valid_to, granted_by_user_id, granted_by_user_email, granted_event_key,
    revoked_by_user_id, revoked_by_user_email, revoked_event_key, is_ended_with_owner, is_uncertain
)
with
pieces as (
    select
        series_key, permission, event_time as valid_from, next_time as valid_to, granting,
        held = 2 or is_doubtful as is_uncertain
    from right_states
    where held > 0
    union all
    select
        series_key, permission, created_at as valid_from, event_time as valid_to, null as granting,
        at_first = 2 as is_uncertain
    from right_states
    where at_first > 0
),
-- A piece that follows another without a gap, as certain as that, belongs to the same span.
joints as (
    select
        series_key, permission, valid_from, valid_to, granting, is_uncertain,
        case
            when valid_from = lag(valid_to) over right_in_time
                and is_uncertain = lag(is_uncertain) over right_in_time then 0
            else 1
        end as opens
    from pieces
    window right_in_time as (partition by series_key, permission order by valid_from nulls first)
),
numbered as (
    select
        series_key, permission, valid_from, valid_to, granting, is_uncertain, opens,
        sum(opens) over (
            partition by series_key, permission order by valid_from nulls first
            rows between unbounded preceding and current row
        ) as place
    from joints
),
spans as (
    select
        series_key, permission,
        case when count(*) = count(valid_from) then min(valid_from) end as valid_from,
        case when count(*) = count(valid_to) then max(valid_to) end as valid_to,
        min(granting) filter (where opens = 1) as granting,
        bool_or(is_uncertain) as is_uncertain
    from numbered
    group by series_key, permission, place
)
select
    t.source, t.subject_kind, t.subject_id, t.origin, t.scope_id,
    s.permission.kind as resource_kind, s.permission.operation as operation,
    s.permission.id as object_id, s.permission.name as object_name, s.valid_from, s.valid_to,
    s.granting.user_id as granted_by_user_id, s.granting.email as granted_by_user_email,
    s.granting.key as granted_event_key,
    coalesce(r.revoking, m.ending).user_id as revoked_by_user_id,
    coalesce(r.revoking, m.ending).email as revoked_by_user_email,
    coalesce(r.revoking, m.ending).key as revoked_event_key,
    r.revoking is null and m.ending is not null as is_ended_with_owner,
    s.is_uncertain
from spans as s
inner join touched_series as t on t.series_key = s.series_key
left join right_seconds as r
    on r.series_key = s.series_key and r.permission = s.permission and r.event_time = s.valid_to
left join series_moments as m on m.series_key = s.series_key and m.event_time = s.valid_to;

drop table series_marks;

drop table series_moments;

drop table crowded_changes;

drop table crowded_seconds;

drop table right_seconds;

drop table right_states;
