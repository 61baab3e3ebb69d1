-- title: First appearances of users and addresses
-- question: Which users and addresses appeared for the first time?
-- family: people
-- grain: one row per user id, e-mail or address whose first event lies in the range
-- param: since timestamp = 7d
-- param: until timestamp = now
with
firsts as (
    select source, subject_kind, subject, first_seen_at, last_seen_at, events
    from sightings
    where first_seen_at >= cast($since as timestamp)
      and first_seen_at < cast($until as timestamp)
      and subject_kind in ('user', 'email', 'address')
)
select
    first_seen_at as first_at,
    subject_kind,
    subject,
    events,
    last_seen_at as last_at,
    source
from firsts
order by first_at, subject_kind, subject, source
