-- The people in `shown`, and their events in the range and in the days before it. An actor is the recorded e-mail, else
-- the directory's, else an id. Events are selected by recorded values, before anything is computed.
people as (
    select distinct source, person
    from shown
    where person is not null
),
-- An e-mail is in lower case, or spelled otherwise in some of its events.
spelled as (
    select distinct e.user_email
    from events as e
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and e.user_email <> lower(e.user_email)
),
spellings as (
    select p.person as user_email
    from people as p
    union
    select s.user_email
    from spelled as s
    where lower(s.user_email) in (select p.person from people as p)
),
unnamed as (
    select u.source, u.user_id
    from user_names as u
    inner join people as p on p.source = u.source and p.person = u.name
    where u.kind in ('email', 'former_email')
    union
    select s.source, s.user_id
    from shown as s
    where s.person = 'user ' || cast(s.user_id as varchar)
),
-- The first of equal acts, before they are joined: one person may have most events of the log.
acts as (
    select
        e.source, lower(e.user_email) as actor, min(e.event_time) as event_time, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and e.user_email in (select s.user_email from spellings as s)
    group by
        e.source, e.user_email, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown')
    union all
    select
        e.source, e.actor, min(e.event_time) as event_time, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
      and (e.user_email is null or e.user_email = '')
      and e.user_id in (select u.user_id from unnamed as u)
    group by
        e.source, e.actor, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown')
),
history as (
    select a.source, p.person, a.event_time, a.ip_address, a.database_name, a.operation
    from acts as a
    inner join people as p on p.source = a.source and p.person = a.actor
),
