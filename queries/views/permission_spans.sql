-- One row per permission and span of time [valid_from, valid_to) in which a policy or a user held it, as far as the log
-- shows. valid_from is null where it was held before the log begins with it, valid_to while it is held. is_uncertain
-- marks where changes within one second leave that open. Folded at load (queries/derived/spans.sql). origin is set (of
-- a policy, or a user's own), share (of one database), member (of a policy or role) or flag (administrator,
-- account_owner).
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

-- One row per policy that the log names: its last name, when it was made and deleted. They are null where the log does
-- not tell, and deleted_at while it is there.
create or replace view policies as
with
mentions as (
    select
        source, resource_id as policy_id, nullif(resource_name, '') as policy_name, event_time,
        {'at': event_time, 'name': resource_name} as name_rank,
        canonical_name = 'permission_policy_create' as is_made,
        canonical_name = 'permission_policy_delete' as is_deleted
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user'
    )
      and is_successful
      and resource_id <> ''
),
named as (
    select
        source, policy_id,
        arg_max(policy_name, name_rank) as policy_name,
        max(event_time) filter (where is_made) as created_at,
        max(event_time) filter (where is_deleted) as deleted_at
    from mentions
    group by source, policy_id
)
select
    n.source, n.policy_id, n.policy_name, n.created_at,
    case when l.object_id is null then n.deleted_at end as deleted_at
from named as n
left join object_lives as l
    on l.source = n.source and l.object_id = n.policy_id and l.object_kind = 'policy' and l.valid_to is null;

-- One row per span of time in which a user belonged to a policy, as far as the log tells.
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
mentions as (
    select
        source, resource_id as database_id, nullif(resource_name, '') as database_name, user_id, event_time,
        {'at': event_time, 'name': resource_name} as name_rank,
        {'at': event_time, 'user_id': user_id} as maker_rank,
        canonical_name = 'database_create' as is_made,
        canonical_name = 'database_delete' as is_deleted
    from access_event_rows
    where canonical_name in (
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and is_successful
      and resource_id <> ''
),
named as (
    select
        source, database_id,
        arg_max(database_name, name_rank) as database_name,
        arg_max(user_id, maker_rank) filter (where is_made) as creator_user_id,
        max(event_time) filter (where is_deleted) as deleted_at
    from mentions
    group by source, database_id
)
select
    n.source, n.database_id, n.database_name, n.creator_user_id,
    case when l.object_id is null then n.deleted_at end as deleted_at
from named as n
left join object_lives as l
    on l.source = n.source and l.object_id = n.database_id and l.object_kind = 'database' and l.valid_to is null;
