-- title: Downloads after a self-grant
-- question: Who granted themselves a permission and then downloaded results?
-- family: permission_changes
-- grain: one row per download that brings a user to the number of downloads or megabytes in the hours after a self-grant
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 4
-- param: downloads integer = 4
-- param: megabytes integer = 500
-- detection: critical
-- attack: T1098.003, T1530
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- measure: downloads >= $downloads
-- measure: megabytes >= $megabytes
-- window: first_at
-- evidence: shown_events
-- condition: An account grants a right to itself or to a policy that it belongs to, and downloads {downloads} results or {megabytes} MB within {hours} h.
-- message: {actor} downloaded {bytes:bytes} in {downloads:count result} after a self-grant
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Revoke the right, the sessions and the keys of the account, and find out what the results contain.
-- A right counts if its holder granted it, to themselves or to a policy that they belong to or join before the download.
with
-- part: owners
-- part: email_owners
grants as (
    select
        c.source, coalesce(c.user_id, o.user_id) as user_id, c.actor_email, c.event_time as granted_at,
        c.event_key as grant_key, c.subject_kind,
        c.subject_id, lower(c.subject_name) as subject_name
    from permission_changes as c
    left join email_owners as o on o.source = c.source and o.email = case when c.user_id is null then c.actor_email end
    where c.event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and c.event_time < cast($until as timestamp)
      and c.change = 'granted'
),
self_grants as (
    select
        source, coalesce('user ' || cast(user_id as varchar), actor_email) as person, granted_at, grant_key,
        granted_at as held_from
    from grants
    where subject_kind = 'user'
      and (subject_id = cast(user_id as varchar) or subject_name = actor_email)
    union
    select
        g.source, 'user ' || cast(g.user_id as varchar) as person, g.granted_at, g.grant_key,
        case when m.valid_from > g.granted_at then m.valid_from else g.granted_at end as held_from
    from grants as g
    inner join policy_members as m
        on m.source = g.source
        and m.policy_id = g.subject_id
        and m.user_id = g.user_id
    where g.subject_kind = 'policy'
      and (m.valid_to is null or m.valid_to > g.granted_at)
),
downloads as (
    select
        e.source, coalesce(e.user_id, o.user_id) as user_id, e.event_key, e.event_time, e.actor, e.ip_address,
        coalesce(e.bytesize, 0) as bytes,
        case when coalesce(e.user_id, o.user_id) is null then e.actor_email end as account,
        coalesce('user ' || cast(coalesce(e.user_id, o.user_id) as varchar), e.actor_email) as person
    from events as e
    left join email_owners as o on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
    where e.event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and e.event_time < cast($until as timestamp)
      and e.canonical_name = 'job_result_download'
      and e.outcome = 'succeeded'
),
followed as (
    select distinct d.source, d.person, d.event_key, d.event_time, d.bytes, g.granted_at
    from downloads as d
    inner join self_grants as g
        on g.source = d.source
        and g.person = d.person
        and g.held_from <= d.event_time
        and g.granted_at >= d.event_time - cast($hours as integer) * interval '1' hour
),
counted as (
    select
        source, event_key, granted_at,
        count(*) over since_grant as downloads,
        sum(bytes) over since_grant as bytes
    from followed
    window since_grant as (
        partition by source, person, granted_at
        order by event_time
        range between unbounded preceding and current row
    )
),
reached as (
    select source, event_key, min(granted_at) as first_at, max(downloads) as downloads, max(bytes) as bytes
    from counted
    where downloads >= cast($downloads as integer)
       or bytes >= cast($megabytes as bigint) * 1000000
    group by source, event_key
),
shown_events as (
    select event_key as hit_key, event_key from reached
    union all
    select r.event_key as hit_key, g.grant_key as event_key
    from reached as r
    inner join followed as f on f.source = r.source and f.event_key = r.event_key
    inner join self_grants as g on g.source = f.source and g.person = f.person and g.granted_at = f.granted_at
)
select
    d.event_time,
    d.actor,
    r.downloads,
    cast(r.bytes as bigint) as bytes,
    cast(floor(r.bytes / 1e6) as bigint) as megabytes,
    r.first_at,
    d.ip_address,
    d.user_id,
    d.account,
    d.event_key,
    d.source
from reached as r
inner join downloads as d on d.source = r.source and d.event_key = r.event_key
where d.event_time >= cast($since as timestamp)
order by event_time, actor, downloads, bytes, megabytes, first_at, ip_address, user_id, account, event_key, source
