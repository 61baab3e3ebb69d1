-- What the members of a policy, or without one whoever can do anything, did with databases. There is one row per
-- person, operations of which one was needed, and database. `rules` says which operations an event, or what a text
-- does, may need (schemas/uses.json); a database that no event names by that name is null. What the log has under an
-- e-mail alone counts for whoever had that.
with
rules as (
    select
        json_extract_string(r.value, '$.what') as what,
        json_extract_string(r.value, '$.operations') as operations
    from json_each($rules::json) as r
),
members as (
    select distinct source, user_id, coalesce(user_email, 'user ' || cast(user_id as varchar)) as person
    from user_access
    where ($policy_id is null or way = 'member' and resource_kind = 'Policies' and object_id = $policy_id)
      and ($source is null or source = $source)
      and coalesce(valid_from <= $on::timestamp, true)
      and coalesce(valid_to > $on::timestamp, true)
),
texts as (
    select distinct source, job_id, lower(database_name) as database_name, access
    from query_tables
),
emails as (
    select distinct source, user_id, name as email
    from user_names
    where kind in ('email', 'former_email') and user_id is not null
),
done as (
    select
        j.source, coalesce(j.user_id, n.user_id) as user_id, j.activity_time as used_at,
        case when t.job_id is null then lower(j.database_name) else t.database_name end as database_name,
        null as database_id,
        'job ' || coalesce(t.access, 'not_read') as what
    from query_jobs as j
    left join texts as t on t.source = j.source and t.job_id = j.job_id
    left join emails as n
        on n.source = j.source and n.email = case when j.user_id is null then j.actor_email end
    semi join members as m on m.source = j.source and m.user_id = coalesce(j.user_id, n.user_id)
    union all
    select
        e.source, coalesce(e.user_id, n.user_id) as user_id, e.event_time as used_at,
        case
            when starts_with(e.canonical_name, 'database_') then lower(e.resource_name)
            when e.target_resource_name like '%.' || e.exported_job_id
            then lower(split_part(e.target_resource_name, '.', 1))
            when coalesce(e.target_table, e.job, e.resource_name) like '%.%'
            then lower(split_part(coalesce(e.target_table, e.job, e.resource_name), '.', 1))
        end as database_name,
        case when starts_with(e.canonical_name, 'database_') then e.resource_id end as database_id,
        e.canonical_name as what
    from events as e
    left join emails as n
        on n.source = e.source and n.email = case when e.user_id is null then e.actor_email end
    semi join rules as r on r.what = e.canonical_name
    semi join members as m on m.source = e.source and m.user_id = coalesce(e.user_id, n.user_id)
    where e.outcome = 'succeeded'
),
names as (
    select distinct source, lower(resource_name) as database_name, resource_id as database_id
    from access_event_rows
    where canonical_name in ('database_create', 'database_modify', 'database_permission_modify', 'database_delete')
      and is_successful
      and resource_id <> ''
      and resource_name <> ''
)
select
    m.person, d.user_id, r.operations, coalesce(d.database_id, n.database_id) as database_id, d.database_name,
    coalesce(max(b.creator_user_id) = d.user_id, false) as is_own,
    count(*) as uses,
    count(*) filter (where d.used_at >= $unused_since::timestamp) as recent,
    max(d.used_at) as last_used_at
from done as d
inner join rules as r on r.what = d.what
inner join members as m on m.source = d.source and m.user_id = d.user_id
left join names as n on n.source = d.source and n.database_name = d.database_name and d.database_id is null
left join databases as b on b.source = d.source and b.database_id = coalesce(d.database_id, n.database_id)
where d.used_at <= $on::timestamp
group by m.person, d.user_id, r.operations, coalesce(d.database_id, n.database_id), d.database_name
order by m.person, d.user_id, r.operations, database_id, d.database_name;
