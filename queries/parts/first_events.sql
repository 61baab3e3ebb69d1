-- When the log of each source begins: rules that ask what is new are quiet for some time from then on.
first_events as (
    select source, min(first_seen_at) as first_at
    from sightings
    group by source
),
