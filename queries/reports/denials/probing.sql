-- title: Probing of objects
-- question: Who was denied on several objects or operations within an hour?
-- family: denials
-- grain: one row per user and day (UTC) with denials on at least that many objects or operations within the minutes
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: minutes integer = 60
-- param: least integer = 5
-- chart: bars x=actor y=denials stack=day unit=count
-- The interval is sliding: it ends with each denial in turn. objects, operations and denials are the maximum of such
-- intervals of the day, first_at and last_at the first and last denial that ended one. Failed sign-ins do not count; see
-- failed_sign_ins_then_success.
with
denied as (
    select
        source, actor, user_id, event_time,
        coalesce(operation, canonical_name, event_name, 'unknown') as operation,
        coalesce(resource_name, resource_id, target_resource_name, target_resource_id) as object
    from denials
    where event_time >= cast($since as timestamp) - cast($minutes as integer) * interval '1' minute
      and event_time < cast($until as timestamp)
      and outcome = 'denied'
      and actor <> 'unknown'
),
-- Each denial, operation and object counts from its moment on until it is `minutes` old or comes again.
counted as (
    select
        source, actor, event_time,
        event_time + cast($minutes as integer) * interval '1' minute as last_moment,
        lead(event_time) over (partition by source, actor, operation order by event_time) as same_operation,
        case when object is not null
        then lead(event_time) over (partition by source, actor, object order by event_time) end as same_object,
        case when object is null then 0 else 1 end as has_object
    from denied
),
steps as (
    select source, actor, event_time as moment, 1 as denials, 1 as operations, has_object as objects
    from counted
    union all
    select source, actor, last_moment as moment, -1 as denials, 0 as operations, 0 as objects
    from counted
    union all
    select
        source, actor,
        case when same_operation < last_moment then same_operation else last_moment end as moment,
        0 as denials, -1 as operations, 0 as objects
    from counted
    union all
    select
        source, actor,
        case when same_object < last_moment then same_object else last_moment end as moment,
        0 as denials, 0 as operations, -1 as objects
    from counted
    where has_object = 1
),
moments as (
    select
        source, actor, moment, max(denials) as has_denial,
        sum(sum(denials)) over (partition by source, actor order by moment) as denials,
        sum(sum(operations)) over (partition by source, actor order by moment) as operations,
        sum(sum(objects)) over (partition by source, actor order by moment) as objects
    from steps
    group by source, actor, moment
),
people as (
    select source, actor, max(user_id) as user_id
    from denied
    group by source, actor
)
select
    cast(moments.moment as date) as day,
    moments.actor,
    cast(max(moments.objects) as bigint) as objects,
    cast(max(moments.operations) as bigint) as operations,
    cast(max(moments.denials) as bigint) as denials,
    min(moments.moment) as first_at,
    max(moments.moment) as last_at,
    people.user_id,
    moments.source
from moments
inner join people on people.source = moments.source and people.actor = moments.actor
where moments.moment >= cast($since as timestamp)
  and moments.moment < cast($until as timestamp)
  and moments.has_denial = 1
  and (moments.objects >= cast($least as integer) or moments.operations >= cast($least as integer))
group by moments.source, moments.actor, people.user_id, cast(moments.moment as date)
order by objects desc, operations desc, denials desc, day, actor, source
