-- title: Activation runs
-- question: Which activations ran, or were added to journeys and campaigns, and by whom?
-- family: egress
-- grain: one row per user, activation and event
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=rows stack=event_name unit=count
-- scope: range
with
found as (
    select
        source, user_id, event_time, canonical_name, outcome,
        coalesce(resource_name, resource_id, 'not recorded') as activation,
        resource_id as activation_id,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name in (
          'syndication_run', 'web_access_token_run', 'journey_activation_step_create',
          'realtime_journey_activation_step_create', 'segment_campaign_create'
      )
)
select
    actor,
    activation,
    canonical_name as event_name,
    count(*) filter (where outcome = 'succeeded') as runs,
    count(*) filter (where outcome in ('denied', 'failed')) as refused,
    min(event_time) as first_at,
    max(event_time) as last_at,
    activation_id,
    max(user_id) as user_id,
    source
from found
group by source, actor, activation, activation_id, canonical_name
order by runs desc, refused desc, actor, activation, event_name, activation_id, source
