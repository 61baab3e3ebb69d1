-- The events that pictures of findings show, the newest $most of each: its evidence, and where that is one event of a
-- finding that measures others, the failed and denied events of the same actor or address in the hour before it.
with
wanted as (
    select finding_id, measures
    from findings
    where list_contains(string_split($ids, ','), finding_id)
),
evidence as (
    select
        w.finding_id, w.measures, e.source, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize,
        e.actor, e.ip_address,
        count(*) over (partition by w.finding_id) as events
    from wanted as w
    inner join finding_events as f on f.finding_id = w.finding_id
    inner join events as e on e.event_time = f.event_time and e.event_key = f.event_key
),
before as (
    select a.finding_id, e.event_key, e.event_time, e.event_name, e.outcome, e.bytesize
    from evidence as a
    inner join events as e
        on e.source = a.source
        and e.event_time > a.event_time - interval '1' hour
        and e.event_time <= a.event_time
        and e.event_key <> a.event_key
        and (e.actor = a.actor or e.ip_address = nullif(a.ip_address, 'internal'))
    where a.events = 1
      and a.measures <> '[]'
      and e.outcome in ('failed', 'denied')
),
shown as (
    select finding_id, event_key, event_time, event_name, outcome, bytesize from evidence
    union all
    select finding_id, event_key, event_time, event_name, outcome, bytesize from before
)
select
    finding_id,
    strftime(event_time, '%Y-%m-%d %H:%M:%S') as event_time,
    event_name, outcome, bytesize
from shown
qualify row_number() over (partition by finding_id order by event_time desc, event_key) <= $most
order by finding_id, shown.event_time, event_key;
