-- The people who acted in `shown`, and all that they did in the range and in the days before it.
people as (
    select distinct source, person
    from shown
    where person is not null
),
history as (
    select
        e.source, p.person, e.event_time, e.ip_address, e.database_name,
        coalesce(e.operation, e.canonical_name, e.event_name, 'unknown') as operation
    from events as e
    inner join people as p on p.source = e.source and p.person = e.actor
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp)
),
