-- title: Queries by text
-- question: Which queries contain a given text?
-- family: query_activity
-- grain: one row per job or saved-query run with the text, ignoring case
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: text text = drop table
with
activity as (
    select
        source, activity, activity_time, user_id, database_name, object_id, object_name, status,
        query_text, actor,
        position(lower(cast($text as varchar)) in lower(query_text)) as found_at
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and query_text is not null
)
select
    activity_time,
    actor,
    database_name,
    substring(query_text from case when found_at > 20 then found_at - 20 else 1 end for 80) as excerpt,
    activity,
    status,
    object_name,
    object_id,
    user_id,
    source
from activity
where found_at > 0
order by
    activity_time, actor, database_name, excerpt, activity, status, object_name, object_id, user_id, source
