-- title: Downloads after a grant
-- question: Who was granted permissions and then downloaded results?
-- family: query_activity
-- grain: one row per granting event and user who downloaded results within the hours after it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- param: downloads integer = 1
with
grants as (
    select
        event_key, source, event_time, user_id as granter_id, subject_kind, subject_id, subject_name,
        actor as granted_by,
        case
            when resource_kind = 'Databases' and operation = 'manage' then 1
            when resource_kind = 'Account' and operation in ('administrator', 'account_owner') then 1
            else 0
        end as full_access
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and change = 'granted'
),
-- A right given to a policy is given to everyone who belongs to it at that moment.
receivers as (
    select
        event_key, source, event_time, granter_id, granted_by, full_access,
        subject_id as user_id, null as policy
    from grants
    where subject_kind = 'user'
    union all
    select
        grants.event_key, grants.source, grants.event_time, grants.granter_id, grants.granted_by,
        grants.full_access, cast(policy_members.user_id as varchar) as user_id,
        coalesce(grants.subject_name, grants.subject_id) as policy
    from grants
    inner join policy_members
        on policy_members.source = grants.source
        and policy_members.policy_id = grants.subject_id
        and (policy_members.valid_from is null or policy_members.valid_from <= grants.event_time)
        and (policy_members.valid_to is null or policy_members.valid_to > grants.event_time)
    where grants.subject_kind = 'policy'
),
grants_of_users as (
    select
        event_key, source, event_time, granter_id, granted_by, user_id, policy,
        count(*) as rights,
        max(full_access) as full_access
    from receivers
    group by event_key, source, event_time, granter_id, granted_by, user_id, policy
),
-- part: owners
downloads as (
    select
        e.source, cast(coalesce(e.user_id, o.user_id) as varchar) as user_id, e.event_time, e.bytesize, e.actor
    from events as e
    left join owners as o
        on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp) + cast($hours as integer) * interval '1' hour
      and e.canonical_name = 'job_result_download'
      and e.outcome = 'succeeded'
)
select
    grants_of_users.event_time as granted_at,
    max(downloads.actor) as actor,
    grants_of_users.granted_by,
    grants_of_users.rights,
    count(*) as downloads,
    cast(coalesce(sum(downloads.bytesize), 0) as bigint) as bytes,
    min(downloads.event_time) as first_download_at,
    grants_of_users.full_access = 1 as full_access,
    coalesce(
        grants_of_users.user_id = cast(grants_of_users.granter_id as varchar),
        max(downloads.actor) = grants_of_users.granted_by or max(granters.user_id) is not null
    ) as to_self,
    grants_of_users.policy,
    grants_of_users.user_id,
    grants_of_users.source
from grants_of_users
inner join downloads
    on downloads.source = grants_of_users.source
    and downloads.user_id = grants_of_users.user_id
    and downloads.event_time >= grants_of_users.event_time
    and downloads.event_time < grants_of_users.event_time + cast($hours as integer) * interval '1' hour
left join owners as granters
    on granters.source = grants_of_users.source
    and granters.email = case when grants_of_users.granter_id is null then grants_of_users.granted_by end
    and cast(granters.user_id as varchar) = grants_of_users.user_id
group by
    grants_of_users.event_key, grants_of_users.source, grants_of_users.event_time,
    grants_of_users.granter_id, grants_of_users.granted_by, grants_of_users.user_id,
    grants_of_users.policy, grants_of_users.rights, grants_of_users.full_access
having count(*) >= cast($downloads as integer)
order by
    granted_at, actor, granted_by, rights, downloads, bytes, first_download_at, full_access, to_self,
    policy, user_id, source
