-- title: Downloads with short-lived permissions
-- question: Who was granted a permission, downloaded results and lost the permission again?
-- family: query_activity
-- grain: one row per user and moment of losing a permission that was granted in the hours before and used for a download
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- param: downloads integer = 1
-- detection: high
-- attack: T1567
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- measure: downloads >= $downloads
-- evidence: shown_events
-- condition: A right is granted, its holder downloads at least {downloads} result, and the right is revoked, within {hours} h.
-- message: {actor} received {rights:count right}, downloaded {downloads:count result} and lost the access again within a day
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Ask who gave the right why it was needed, and check what was downloaded.
-- A right of a policy is given to all members at the moment of the download. If no event revoked the right, the event is
-- the grant.
with
short_spans as (
    select
        source, subject_kind, subject_id, valid_from, valid_to, granted_by,
        granted_event_key, revoked_event_key, coalesce(revoked_event_key, granted_event_key) as span_event_key,
        case
            when resource_kind = 'Databases' and operation in ('manage', 'full_access') then 1
            when resource_kind = 'Account' and operation in ('administrator', 'account_owner') then 1
            else 0
        end as full_access,
        resource_kind || ' ' || operation || ' ' || coalesce(object_id, '') || ' ' || coalesce(object_name, '')
            as right_text
    from permission_spans
    where valid_to >= cast($since as timestamp)
      and valid_to < cast($until as timestamp)
      and valid_to <= valid_from + cast($hours as integer) * interval '1' hour
      and granted_event_key is not null
      and origin <> 'policy'
),
-- part: owners
downloads as (
    select
        e.source, coalesce(e.user_id, o.user_id) as user_id, e.event_key, e.event_time, coalesce(e.bytesize, 0) as bytesize,
        e.actor
    from events as e
    left join owners as o
        on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
    where e.event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and e.event_time < cast($until as timestamp)
      and e.canonical_name = 'job_result_download'
      and e.outcome = 'succeeded'
),
own as (
    select
        s.source, d.user_id, s.valid_from, s.valid_to, s.granted_by, s.granted_event_key,
        s.revoked_event_key, s.span_event_key, s.full_access,
        s.right_text, d.event_key, d.event_time, d.bytesize, d.actor
    from short_spans as s
    inner join downloads as d
        on d.source = s.source and cast(d.user_id as varchar) = s.subject_id
        and d.event_time >= s.valid_from and d.event_time <= s.valid_to
    where s.subject_kind = 'user'
    union all
    select
        s.source, d.user_id, s.valid_from, s.valid_to, s.granted_by, s.granted_event_key,
        s.revoked_event_key, s.span_event_key, s.full_access,
        s.right_text, d.event_key, d.event_time, d.bytesize, d.actor
    from short_spans as s
    inner join policy_members as m on m.source = s.source and m.policy_id = s.subject_id
    inner join downloads as d
        on d.source = m.source and d.user_id = m.user_id
        and d.event_time >= s.valid_from and d.event_time <= s.valid_to
        and (m.valid_from is null or m.valid_from <= d.event_time)
        and (m.valid_to is null or m.valid_to > d.event_time)
    where s.subject_kind = 'policy'
),
facts as (
    select
        source, user_id, valid_to, count(distinct right_text) as rights, min(valid_from) as granted_at,
        min(granted_by) as granted_by, max(full_access) as full_access, min(span_event_key) as event_key
    from own
    group by source, user_id, valid_to
),
amounts as (
    select
        source, user_id, valid_to, max(actor) as actor, count(*) as downloads, cast(sum(bytesize) as bigint) as bytes,
        min(event_time) as first_download_at
    from (
        select distinct source, user_id, valid_to, actor, event_key, event_time, bytesize from own
    ) as each_once
    group by source, user_id, valid_to
),
shown_events as (
    select f.event_key as hit_key, f.user_id, o.event_key
    from facts as f
    inner join own as o on o.source = f.source and o.user_id = f.user_id and o.valid_to = f.valid_to
    union all
    select f.event_key as hit_key, f.user_id, o.granted_event_key as event_key
    from facts as f
    inner join own as o on o.source = f.source and o.user_id = f.user_id and o.valid_to = f.valid_to
    union all
    select f.event_key as hit_key, f.user_id, o.revoked_event_key as event_key
    from facts as f
    inner join own as o on o.source = f.source and o.user_id = f.user_id and o.valid_to = f.valid_to
)
select
    f.valid_to as event_time,
    a.actor,
    f.rights,
    a.downloads,
    a.bytes,
    f.granted_at,
    f.granted_by,
    a.first_download_at,
    f.full_access = 1 as full_access,
    f.user_id,
    cast(null as varchar) as account,
    f.event_key,
    f.source
from facts as f
inner join amounts as a on a.source = f.source and a.user_id = f.user_id and a.valid_to = f.valid_to
where a.downloads >= cast($downloads as integer)
order by
    event_time, actor, rights, downloads, bytes, granted_at, granted_by, first_download_at, full_access, user_id, account,
    event_key, source
