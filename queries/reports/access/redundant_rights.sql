-- title: Redundant permissions
-- question: Which permissions does another permission already include?
-- family: access
-- grain: one row per permission on databases, of a policy or a user, that another permission covers at a moment
-- param: on timestamp = now
-- Rights that manage on every database includes (seed 000: all permissions), in the same policy or by another way of the
-- user; administrators and account owners count, too. Also the same right by several ways, one row each. Revoking one of
-- them changes nothing. covered_by is one such other right, ways the number of ways to the same right. A right that is
-- uncertain, because the log has a gap or a snapshot differs, covers nothing.
with
-- What a set names twice, with a name and without one, is one right.
held as (
    select
        source, user_id, person, way, policy_id, policy_name, resource_kind, operation, database_id, reach,
        case when database_id is null or object_name like '%(%: %)' then object_name end as bare_name, max(object_name) as object_name,
        operation || ' by ' || coalesce('policy ' || policy_name, 'policy ' || policy_id, way) as words,
        max(case when is_certain then 1 else 0 end) as is_sure
    from user_access
    where reach is not null
      and user_id is not null
      and
      -- part: access_on
    group by
        source, user_id, person, way, policy_id, policy_name, resource_kind, operation, database_id, reach,
        case when database_id is null or object_name like '%(%: %)' then object_name end
),
everything as (
    select source, user_id, operation, way, policy_id, words
    from held
    where reach = 'every database'
      and operation in ('manage', 'administrator', 'account_owner')
      and is_sure = 1
),
-- A right beside manage in the same policy is covered by the row of the policy.
under_all as (
    select h.source, h.user_id, h.way, h.policy_id, h.operation, h.database_id, min(e.words) as words
    from held as h
    inner join everything as e
        on e.source = h.source
        and e.user_id = h.user_id
        and (e.operation <> h.operation)
        and (e.policy_id is null or h.policy_id is null or e.policy_id <> h.policy_id)
    where h.resource_kind = 'Databases'
    group by h.source, h.user_id, h.way, h.policy_id, h.operation, h.database_id
),
same as (
    select
        source, user_id, operation, database_id, bare_name, count(*) as ways, sum(is_sure) as sure_ways,
        min(words) filter (where is_sure = 1) as first_words, max(words) filter (where is_sure = 1) as last_words
    from held
    where resource_kind = 'Databases'
    group by source, user_id, operation, database_id, bare_name
),
of_users as (
    select
        h.source, 'user' as holder_kind, h.person as holder,
        h.operation, h.reach, coalesce(h.object_name, h.database_id) as database_name, h.way,
        coalesce(h.policy_name, h.policy_id) as policy,
        coalesce(u.words, case when h.words = s.first_words then s.last_words else s.first_words end) as covered_by,
        s.ways, h.user_id, h.policy_id, h.database_id
    from held as h
    inner join same as s
        on s.source = h.source
        and s.user_id = h.user_id
        and s.operation = h.operation
        and coalesce(s.database_id, '') = coalesce(h.database_id, '')
        and coalesce(s.bare_name, '') = coalesce(h.bare_name, '')
    left join under_all as u
        on u.source = h.source
        and u.user_id = h.user_id
        and u.way = h.way
        and coalesce(u.policy_id, '') = coalesce(h.policy_id, '')
        and u.operation = h.operation
        and coalesce(u.database_id, '') = coalesce(h.database_id, '')
    where h.resource_kind = 'Databases'
      and (s.sure_ways > h.is_sure or u.user_id is not null)
),
policies_held as (
    select
        source, policy_id, policy_name, operation, database_id, reach, max(object_name) as object_name,
        max(case when is_certain then 1 else 0 end) as is_sure
    from policy_rights
    where resource_kind = 'Databases'
      and
      -- part: valid_on
    group by
        source, policy_id, policy_name, operation, database_id, reach,
        case when database_id is null or object_name like '%(%: %)' then object_name end
),
of_policies as (
    select
        h.source, 'policy' as holder_kind, coalesce(h.policy_name, 'policy ' || h.policy_id) as holder,
        h.operation, h.reach, coalesce(h.object_name, h.database_id) as database_name, 'set' as way,
        coalesce(h.policy_name, h.policy_id) as policy, 'manage in the same set' as covered_by, 1 as ways,
        cast(null as bigint) as user_id, h.policy_id, h.database_id
    from policies_held as h
    where h.reach <> 'every database'
      and exists (
          select 1 from policies_held as m
          where m.source = h.source
            and m.policy_id = h.policy_id
            and m.operation = 'manage'
            and m.reach = 'every database'
            and m.is_sure = 1
      )
),
redundant as (
    select
        source, holder_kind, holder, operation, reach, database_name, way, policy, covered_by, ways, user_id, policy_id,
        database_id
    from of_users
    union all
    select
        source, holder_kind, holder, operation, reach, database_name, way, policy, covered_by, ways, user_id, policy_id,
        database_id
    from of_policies
)
select
    holder, operation, database_name, way, policy, covered_by, ways, reach, holder_kind, user_id, policy_id, database_id,
    source
from redundant
order by
    holder_kind, holder, operation, database_name, way, policy, covered_by, ways, reach, user_id, policy_id, database_id,
    source
