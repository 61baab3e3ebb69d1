-- title: Timeline of a user
-- question: What did a user do, and what was done to them?
-- family: people
-- grain: one row per event by the user or about them
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: user text required
-- param: days integer = 30
-- param: newest integer = null
-- param: before timestamp = null
-- The user is an id or a current or previous e-mail, ignoring case, or several separated by commas.
-- A change of rights is one row per right; days is how far back first_seen looks, of anyone means new for all users.
-- Without newest, all entries of the range are shown; with it, about this many of the newest (whole seconds), older than
-- before if given. sessions and first_seen are those of the range.
with
asked as (
    select distinct source, name
    from user_names
    where kind <> 'name'
      and position(',' || name || ',' in ',' || lower(replace(cast($user as varchar), ' ', '')) || ',') > 0
),
-- Ids recorded with the name around the range. The limits help the planner; no real user has as many.
recorded as (
    select e.source, e.user_id, min(a.name) as name
    from events as e
    inner join asked as a on a.source = e.source and a.name = lower(e.user_email)
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and e.user_email <> ''
      and e.user_id is not null
    group by e.source, e.user_id
    order by e.source, e.user_id
    limit 10000
),
-- Matches people by their directory entry or recorded ids, with all ids and e-mails of theirs. The person is the given
-- name, the first one if several names match the same person.
marked as (
    select
        n.source, n.user_id, n.kind, n.name,
        case
            when n.user_id is null then a.name
            else min(case when a.name < r.name then a.name else coalesce(r.name, a.name) end)
                over (partition by n.source, n.user_id)
        end as person
    from user_names as n
    left join recorded as r on r.source = n.source and r.user_id = n.user_id
    left join asked as a on a.source = n.source and a.name = n.name
    where n.kind <> 'name'
),
goes_by as (
    select source, user_id, email, min(person) as person
    from (
        select
            source, person,
            case kind when 'id' then user_id end as user_id,
            case when kind <> 'id' then name end as email
        from marked
        where person is not null
    ) as them
    group by source, user_id, email
    order by source, user_id, email
    limit 10000
),
-- All that they did, also in the days before the range.
done as (
    select
        e.source, e.event_time, e.event_key, g.person, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    inner join goes_by as g on g.source = e.source and g.user_id = e.user_id
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
    union all
    select
        e.source, e.event_time, e.event_key, m.person, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
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
    select e.source, e.event_time, e.event_key, e.person
    from done as e
    where e.event_time >= cast($since as timestamp)
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
    union all
    select e.source, e.event_time, e.event_key, cast(null as varchar) as person
    from touching as e
    left join done as d
        on d.source = e.source and d.event_time = e.event_time and d.event_key = e.event_key
    where d.source is null
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
),
history as (
    select source, person, event_time, ip_address, database_name, operation
    from done
),
-- part: shown
-- part: changes
-- part: entries
