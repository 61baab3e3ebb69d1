-- title: Standing access
-- question: How much access needs a regular review?
-- grain: one row per kind of access, with the report that lists it
-- param: on timestamp = now
with
full_access as (
    select count(distinct coalesce(cast(user_id as varchar), person)) as number
    from user_access
    where reach = 'every database'
      and operation in ('manage', 'administrator', 'account_owner')
      and
      -- part: access_on
),
administrators as (
    select count(*) as number
    from users
    where administrator or account_owner
),
on_deleted as (
    select count(*) as number
    from access_timeline as t
    inner join databases as d on d.source = t.source and d.database_id = t.object_id
    where t.resource_kind = 'Databases'
      and d.deleted_at <= cast($on as timestamp)
      and (t.valid_from is null or t.valid_from <= cast($on as timestamp))
      and (t.valid_to is null or t.valid_to > cast($on as timestamp))
),
members as (
    select source, object_id as policy_id
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and (valid_from is null or valid_from <= cast($on as timestamp))
    group by source, object_id
    having count(*) filter (where valid_to is null or valid_to > cast($on as timestamp)) > 0
),
-- part: standing
unheld as (
    select count(*) as number
    from standing
    left join members on members.source = standing.source and members.policy_id = standing.policy_id
    where members.policy_id is null
),
listed as (
    select 1 as place, 'People with full control of every database' as access, number, 'full_access_holders' as report
    from full_access
    union all
    select 2, 'Account administrators', number, 'administrator_changes' from administrators
    union all
    select 3, 'Rights on deleted databases', number, 'rights_on_gone_databases' from on_deleted
    union all
    select 4, 'Policies without users', number, 'unheld_policies' from unheld
)
select access, number, report
from listed
order by place, access, number, report
