-- title: Changes of the recorded log
-- question: Where does the log differ from what was read before?
-- family: pipeline
-- grain: one row per event that shares its id with an event of an earlier or the same time, and per window that no longer returns an event
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: critical
-- attack: T1070
-- key: source, sign, subject
-- subject: source source
-- at: event_time
-- reach: all
-- condition: Two different events share an id, or a window no longer returns an event that it returned before.
-- message: The log of {source} was altered: {sign} {subject}
-- next: auditlake report run {report} --since {event_time:date}
-- runbook: Compare the stored versions, and ask who can change or delete events in the service.
-- The first event of an id is not a conflict: a later event must not change the status of earlier ones.
with
shared_ids as (
    select
        e.event_time, 'events of other content share the id' as sign, e.id as subject, c.versions as events,
        'conflicting_ids' as report, e.event_key, e.source, c.first_event_time,
        count(*) over (partition by e.source, e.id, e.event_time) as events_of_time
    from events as e
    inner join id_conflicts as c on c.source = e.source and c.id = e.id
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
),
conflicts as (
    select event_time, sign, subject, events, report, event_key, source
    from shared_ids
    where event_time > first_event_time
       or events_of_time > 1
),
windows as (
    select
        window_start as event_time, 'events vanished from the window at' as sign, cast(window_start as varchar) as subject,
        vanished as events, 'vanished_events' as report, cast(null as varchar) as event_key, source
    from ingest_windows
    where window_start >= cast($since as timestamp)
      and window_start < cast($until as timestamp)
      and vanished > 0
),
signs as (
    select event_time, sign, subject, events, report, event_key, source from conflicts
    union all
    select event_time, sign, subject, events, report, event_key, source from windows
)
select
    event_time,
    sign,
    subject,
    events,
    report,
    event_key,
    source
from signs
order by event_time, sign, subject, events, report, event_key, source
