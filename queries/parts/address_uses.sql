-- Addresses and actors in the range. The word internal marks the platform's own requests.
address_uses as (
    select
        source, actor, ip_address,
        count(*) as events,
        count(*) filter (
            where canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in') and outcome = 'succeeded'
        ) as sign_ins,
        count(*) filter (where outcome in ('denied', 'failed')) as refused,
        count(distinct event_date) as days,
        min(event_time) as first_at,
        max(event_time) as last_at,
        max(user_id) as user_id
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and ip_address <> ''
      and ip_address <> 'internal'
    group by source, actor, ip_address
),
