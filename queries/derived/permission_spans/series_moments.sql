-- The seconds in which a series changes or ends, in their order. A policy or user that is deleted holds nothing, and so
-- does a policy whose id is created again. created_at is the last creation of the policy until then.
create or replace temp table series_moments as
with
marked as (
    select series_key, event_time, min(event_time) over (partition by series_key) as first_time
    from series_marks
    group by series_key, event_time
),
series as (
    select t.series_key, t.source, t.subject_kind, t.subject_id, t.policy_id, t.user_id
    from touched_series as t
    semi join marked as m on m.series_key = t.series_key
),
deletions as (
    select
        source, event_time, resource_id, canonical_name = 'user_delete' as is_of_user,
        cause_of(event_key, user_id, user_email) as cause
    from access_event_rows
    where canonical_name in ('permission_policy_delete', 'user_delete')
      and is_successful
      and resource_id <> ''
),
creations as (
    select
        source, resource_id as policy_id, event_time,
        min(cause_of(event_key, user_id, user_email)) as cause
    from access_event_rows
    where canonical_name = 'permission_policy_create'
      and is_successful
      and resource_id is not null
    group by source, resource_id, event_time
),
statements as (
    select series_key, event_time, null as ending, false as is_of_user
    from marked
    union all
    select s.series_key, d.event_time, d.cause as ending, d.is_of_user
    from series as s
    inner join deletions as d on d.source = s.source and d.resource_id = s.policy_id and not d.is_of_user
    union all
    select s.series_key, d.event_time, d.cause as ending, d.is_of_user
    from series as s
    inner join deletions as d on d.source = s.source and d.resource_id = s.user_id and d.is_of_user
    union all
    -- An id that is used again: its first policy was deleted, though the log does not show it.
    select s.series_key, c.event_time, c.cause as ending, false as is_of_user
    from series as s
    inner join creations as c on c.source = s.source and c.policy_id = s.subject_id
    where s.subject_kind = 'policy'
      and exists (select 1 from marked as m where m.series_key = s.series_key and m.first_time < c.event_time)
      and not exists (select 1 from marked as m where m.series_key = s.series_key and m.event_time = c.event_time)
),
seconds as (
    select
        series_key, event_time,
        -- Where a policy and a user are deleted, it ends with the policy.
        (min({'is_of_user': is_of_user, 'cause': ending}) filter (where ending is not null)).cause as ending
    from statements
    group by series_key, event_time
)
select
    m.series_key, m.event_time, m.ending,
    lead(m.event_time) over series_in_time as next_time,
    row_number() over series_in_time as position,
    c.event_time as created_at
from seconds as m
inner join series as s on s.series_key = m.series_key
asof left join creations as c
    on c.source = s.source and c.policy_id = s.policy_id and c.event_time <= m.event_time
window series_in_time as (partition by m.series_key order by m.event_time);
