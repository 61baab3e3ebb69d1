-- One row per permission of a policy or user and interval [valid_from, valid_to) in which the log shows it. valid_from
-- is null if it was held before the log starts, valid_to while it is held. is_uncertain marks where changes within one
-- second leave that open. Filled at load (queries/derived/permission_spans). origin is set (of a policy, or a user's
-- own), share (of one database), member (of a policy or role) or flag (administrator, account_owner).
create or replace view permission_spans as
select
    s.source, s.subject_kind, s.subject_id, s.origin, s.resource_kind, s.operation,
    case s.resource_kind when 'Databases' then s.object_id end as database_id,
    s.object_id, s.object_name, s.valid_from, s.valid_to,
    case when s.granted_event_key is not null then coalesce(
        s.granted_by_user_email, lower(g.email), 'user ' || cast(s.granted_by_user_id as varchar), 'unknown'
    ) end as granted_by,
    lower(hex(cast(s.granted_event_key as blob))) as granted_event_key,
    case when s.revoked_event_key is not null then coalesce(
        s.revoked_by_user_email, lower(r.email), 'user ' || cast(s.revoked_by_user_id as varchar), 'unknown'
    ) end as revoked_by,
    lower(hex(cast(s.revoked_event_key as blob))) as revoked_event_key,
    s.is_ended_with_owner, s.is_uncertain
from permission_span_rows as s
left join last_known_users as g on g.source = s.source and g.user_id = s.granted_by_user_id
left join last_known_users as r on r.source = s.source and r.user_id = s.revoked_by_user_id;

-- One row per policy in the log: its last name, creation and deletion. They are null if the log does not show them, and
-- deleted_at while the policy exists.
create or replace view policies as
with
mentions as (
    select source, resource_id as policy_id, event_time, nullif(resource_name, '') as policy_name, canonical_name as evidence
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user'
    )
      and is_successful
      and resource_id <> ''
    union all
    select source, policy_id, read_at as event_time, null as policy_name, state as evidence
    from policy_snapshots
    where place = 'ordered'
),
seconds as (
    select
        source, policy_id, event_time, max(policy_name) as policy_name,
        count(*) filter (where evidence = 'permission_policy_create') as made,
        count(*) filter (where evidence = 'permission_policy_delete') as deleted,
        count(*) filter (where evidence in ('permission_policy_delete', 'gone')) as gone,
        bool_and(evidence = 'permission_policy_detach_user') as is_left,
        bool_or(evidence not in ('present', 'gone')) as is_logged
    from mentions
    group by source, policy_id, event_time
)
select
    source, policy_id,
    arg_max(policy_name, event_time) as policy_name,
    max(event_time) filter (where made > 0) as created_at,
    -- Deleted by the last decided second, or without one by object_lives.
    case
        when coalesce(arg_max(made < gone, event_time) filter (
            where made <> gone or made = 0 and not is_left
        ), true) then max(event_time) filter (where deleted > 0)
    end as deleted_at
from seconds
group by source, policy_id
having bool_or(is_logged);

-- One row per interval in which a user belonged to a policy, according to the log.
create or replace view policy_members as
select
    s.source, s.object_id as policy_id, p.policy_name, cast(s.subject_id as bigint) as user_id,
    s.valid_from, s.valid_to, s.granted_by as attached_by, s.granted_event_key as attached_event_key,
    s.revoked_by as detached_by, s.revoked_event_key as detached_event_key
from permission_spans as s
left join policies as p on p.source = s.source and p.policy_id = s.object_id
where s.origin = 'member' and s.resource_kind = 'Policies';

-- One row per database that the log names: its last name, who made it, and when it was deleted; null while it is there.
create or replace view databases as
with
seconds as (
    select
        source, resource_id as database_id, event_time,
        max(nullif(resource_name, '')) as database_name,
        max(user_id) filter (where canonical_name = 'database_create') as maker,
        count(*) filter (where canonical_name = 'database_create') as made,
        count(*) filter (where canonical_name = 'database_delete') as deleted
    from access_event_rows
    where canonical_name in (
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and is_successful
      and resource_id <> ''
    group by source, resource_id, event_time
)
select
    source, database_id,
    arg_max(database_name, event_time) as database_name,
    arg_max(maker, event_time) as creator_user_id,
    case
        when coalesce(arg_max(made < deleted, event_time) filter (
            where made <> deleted or made = 0
        ), true) then max(event_time) filter (where deleted > 0)
    end as deleted_at
from seconds
group by source, database_id;
