-- title: Service accounts with full access
-- question: Which service accounts have full access?
-- family: access
-- grain: one row per account without a person and way to full access, at a moment
-- param: on timestamp = now
-- param: accounts text = svc%
-- param: days integer = 30
-- An account counts as a service account if its e-mail is like `accounts` (% matches any text), or if it was active in
-- the `days` before `on` without a sign-in; why names the reason. Full access is manage on every database, and the
-- rights of administrators and account owners.
with
full_access as (
    select
        source, user_id, user_email, person, operation, way, policy_id,
        coalesce(policy_name, policy_id) as policy, held_since, granted_by, known_from
    from user_access
    where reach = 'every database'
      and operation in ('manage', 'administrator', 'account_owner')
      and
      -- part: access_on
),
acted as (
    select
        source, user_id, case when user_id is null then actor_email end as email, max(event_time) as last_seen_at,
        count(*) filter (
            where canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in')
              and outcome = 'succeeded'
        ) as sign_ins
    from events
    where event_time >= cast($on as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($on as timestamp)
      and (user_id is not null or actor_email is not null)
    group by source, user_id, case when user_id is null then actor_email end
),
-- part: owners
seen as (
    select
        a.source, coalesce(a.user_id, o.user_id) as user_id,
        max(a.last_seen_at) as last_seen_at, sum(a.sign_ins) as sign_ins
    from acted as a
    left join owners as o on o.source = a.source and o.email = a.email
    group by a.source, coalesce(a.user_id, o.user_id)
),
accounts as (
    select
        f.source, f.user_id, f.user_email, f.person, f.operation, f.way, f.policy_id, f.policy, f.held_since,
        f.granted_by, f.known_from, s.last_seen_at,
        case
            when lower(f.user_email) like lower(cast($accounts as varchar)) then 'by its name'
            when s.sign_ins = 0 then 'without a sign-in'
        end as why
    from full_access as f
    left join seen as s on s.source = f.source and s.user_id = f.user_id
)
select
    person as holder,
    operation,
    way,
    policy,
    why,
    held_since,
    granted_by,
    last_seen_at,
    known_from,
    user_id,
    policy_id,
    source
from accounts
where why is not null
order by
    holder, operation, way, policy, why, held_since, granted_by, last_seen_at, known_from, user_id, policy_id, source
