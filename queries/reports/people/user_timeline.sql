-- title: What did a user do, and what was done to them?
-- family: people
-- grain: one row per event by the user, or that touches them
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: user text required
-- param: days integer = 30
-- The user is an id or an e-mail, of now or of before, in any case.
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
-- Ids that are recorded under it around the range. The limits are for the planner: nobody has as many.
recorded as (
    select distinct source, user_id
    from events
    where event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
      and user_email <> ''
      and lower(user_email) = lower(trim(cast($user as varchar)))
      and user_id is not null
    order by source, user_id
    limit 10000
),
-- Whoever goes by it in the directory, or there: with all ids and e-mails that they go by.
marked as (
    select
        n.source, n.user_id, n.kind, n.name,
        max(case when n.name = lower(trim(cast($user as varchar))) or r.user_id is not null then 1 else 0 end)
            over (partition by n.source, n.user_id) as is_them
    from user_names as n
    left join recorded as r on r.source = n.source and r.user_id = n.user_id
    where n.kind <> 'name'
),
goes_by as (
    select distinct
        source,
        case kind when 'id' then user_id end as user_id,
        case when kind <> 'id' then name end as email
    from marked
    where (user_id is not null and is_them = 1)
       or name = lower(trim(cast($user as varchar)))
    order by source, user_id, email
    limit 10000
),
-- All that they did, also in the days before the range.
done as (
    select
        e.source, e.event_key, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user, e.database_name,
        'them' as person
    from events as e
    inner join goes_by as g on g.source = e.source and g.user_id = e.user_id
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
    union all
    select
        e.source, e.event_key, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user, e.database_name,
        'them' as person
    from events as e
    inner join goes_by as m on m.source = e.source and m.email = lower(e.user_email)
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and e.user_id is null
      and e.user_email <> ''
),
-- Events that touch them.
touching as (
    select e.source, e.event_time, e.event_key
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.affected_user_id is not null
      and exists (select 1 from goes_by as g where g.source = e.source and g.user_id = e.affected_user_id)
    union
    select e.source, e.event_time, e.event_key
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.affected_user <> ''
      and exists (select 1 from goes_by as m where m.source = e.source and m.email = lower(e.affected_user))
    union
    select c.source, c.event_time, c.event_key
    from permission_changes as c
    inner join goes_by as g
        on g.source = c.source and c.subject_kind = 'user' and c.subject_id = cast(g.user_id as varchar)
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
    union
    select c.source, c.event_time, c.event_key
    from permission_changes as c
    inner join policy_members as m
        on m.source = c.source and c.subject_kind = 'policy' and m.policy_id = c.subject_id
        and (m.valid_from is null or m.valid_from <= c.event_time)
        and (m.valid_to is null or m.valid_to > c.event_time)
    inner join goes_by as g on g.source = m.source and g.user_id = m.user_id
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
),
found as (
    select
        source, event_key, event_time, user_id, actor, ip_address, event_name, canonical_name,
        operation, outcome, denial_kind, event_result, attribute_name, bytesize, query_text,
        resource_id, resource_name, resource_path, target_table, target_resource_id, target_resource_name,
        affected_user_id, affected_user, database_name, person
    from done
    where event_time >= cast($since as timestamp)
    union all
    select
        e.source, e.event_key, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user, e.database_name,
        cast(null as varchar) as person
    from events as e
    inner join touching as t
        on t.source = e.source and t.event_time = e.event_time and t.event_key = e.event_key
    left join goes_by as g on g.source = e.source and g.user_id = e.user_id
    left join goes_by as m
        on m.source = e.source and m.email = case when e.user_id is null then lower(e.user_email) end
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and g.source is null
      and m.source is null
),
history as (
    select
        source, person, event_time, ip_address, database_name,
        coalesce(operation, canonical_name, event_name, 'unknown') as operation
    from done
),
changes as (
    select
        source, event_time, event_key, change, operation, object_id, object_name, subject_kind, subject_id, subject_name
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
-- part: timeline
