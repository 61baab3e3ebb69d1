-- Outcome of the last user list of each source, and the number of active users missing from it.
with
last_readings as (
    select source, max(read_at) as read_at
    from directory_readings
    group by source
),
missing as (
    select source, count(*) as users, min(missing_since) as missing_since
    from directory_losses
    group by source
)
select
    r.source, r.read_at, r.verdict, r.against,
    (select count(*) from user_history as h where h.source = r.source and h.valid_to is null) as in_force,
    coalesce(m.users, 0) as missing, m.missing_since
from directory_readings as r
inner join last_readings as l on l.source = r.source and l.read_at = r.read_at
left join missing as m on m.source = r.source
where $source is null or r.source = $source
order by r.source;
