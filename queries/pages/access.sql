-- name: holders
-- People with full access at a moment: how they have it, since when and from whom, one row per person.
with
ways as (
    select
        source, person, user_id, operation, way, coalesce(policy_name, policy_id) as policy, valid_from, granted_by
    from user_access
    where reach = 'every database'
      and operation in ('manage', 'administrator', 'account_owner')
      and
      -- part: access_on
),
named as (
    select
        source, person, user_id, valid_from, granted_by,
        case
            when operation = 'account_owner' then 'account owner'
            when operation = 'administrator' then 'administrator'
            when policy is not null then 'policy ' || policy
            when way = 'share' then 'share'
            else 'own permissions'
        end as how
    from ways
    where $source is null or source = $source
)
select
    n.person as holder,
    string_agg(distinct n.how, ', ' order by n.how) as how,
    -- A way without a start is older than the log.
    case when count(*) = count(n.valid_from) then strftime(min(n.valid_from), '%Y-%m-%dT%H:%M:%SZ') end as since,
    string_agg(distinct n.granted_by, ', ' order by n.granted_by) as granted_by,
    strftime(max(s.last_seen_at), '%Y-%m-%dT%H:%M:%SZ') as last_seen
from named as n
left join sightings as s
    on s.source = n.source
    and s.subject_kind = 'user'
    and s.subject = cast(n.user_id as varchar)
group by n.source, n.person, n.user_id
order by holder, n.source;

-- name: databases
-- Databases with how many people reach each by a permission that names it, and how many of them manage it.
with
reached as (
    select source, coalesce(object_name, database_id) as database_name, database_id, person, operation
    from user_access
    where reach = 'one database'
      and ($source is null or source = $source)
      and
      -- part: access_on
)
select
    any_value(database_name) as database_name,
    count(distinct person) as people,
    count(distinct person) filter (where operation = 'manage') as managers,
    count(distinct person) filter (where operation in ('download', 'query')) as readers
from reached
group by source, database_id
order by people desc, database_name, source;

-- name: snapshots
-- How many policies exist, and how many of them a snapshot has shown.
with
seen as (
    select distinct source, policy_id
    from policy_snapshots
)
select count(*) as policies, count(s.policy_id) as seen
from policies as p
left join seen as s on s.source = p.source and s.policy_id = p.policy_id
where p.deleted_at is null
  and ($source::varchar is null or p.source = $source);
