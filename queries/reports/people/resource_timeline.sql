-- title: Timeline of a resource
-- question: What happened to a resource?
-- family: people
-- grain: one row per event that names the resource
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: resource text required
-- param: days integer = 30
-- param: newest integer = null
-- param: before timestamp = null
-- The resource is an id, a name or a path, ignoring case; a database includes everything that names it. A change of
-- rights is a row for each right; days is how far first_seen looks back, and covers all people. Without newest, all
-- entries of the range are shown; with it, about this many of the newest (whole seconds), older than before if given.
-- sessions and first_seen are those of the range.
with
-- part: resource_events
-- part: shown
changes as (
    select
        c.source, c.event_time, c.event_key, c.change, c.operation, c.object_id, c.object_name, c.subject_kind,
        c.subject_id, c.subject_name
    from permission_changes as c
    inner join found as f
        on f.source = c.source and f.event_time = c.event_time and f.event_key = c.event_key
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
      -- Of an event that does not name it, the rights on it alone.
      and (f.is_named = 1 or lower(c.object_id) = lower(cast($resource as varchar)) or lower(c.object_name) = lower(cast($resource as varchar)))
),
-- part: history
-- part: entries
