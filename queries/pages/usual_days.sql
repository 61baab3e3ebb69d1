-- What people, or addresses, do on a day: for each measure the most of the subject within the finding's days, the median
-- and the highest of the others, and how many days of others have which amount (bins of half a power of ten).
with
acted as (
    select
        case $kind
            when 'address' then e.ip_address
            else coalesce('user ' || cast(e.user_id as varchar), e.actor_email)
        end as subject,
        e.event_date as day,
        count(*) as events,
        count(*) filter (where e.outcome = 'denied') as denials,
        count(*) filter (where e.denial_kind = 'failed_sign_in') as failed_sign_ins,
        count(*) filter (where e.canonical_name = 'job_result_download' and e.outcome = 'succeeded') as downloads,
        coalesce(sum(e.bytesize) filter (where e.canonical_name = 'job_result_download' and e.outcome = 'succeeded'), 0)
            as bytes
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.source = $source
    group by all
),
granted as (
    select
        case $kind
            when 'address' then c.ip_address
            else coalesce('user ' || cast(c.user_id as varchar), c.actor_email)
        end as subject,
        c.event_date as day,
        count(*) as grants
    from permission_changes as c
    where c.event_time >= cast($since as timestamp)
      and c.event_time < cast($until as timestamp)
      and c.source = $source
      and c.change = 'granted'
    group by all
),
measured as (
    select a.subject, a.day, unnest([
        {'measure': 'events', 'amount': a.events},
        {'measure': 'denials', 'amount': a.denials},
        {'measure': 'failed_sign_ins', 'amount': a.failed_sign_ins},
        {'measure': 'grants', 'amount': coalesce(g.grants, 0)},
        {'measure': 'downloads', 'amount': a.downloads},
        {'measure': 'bytes', 'amount': a.bytes}
    ]) as measure
    from acted as a
    left join granted as g on g.subject = a.subject and g.day = a.day
    where a.subject is not null
      and a.subject <> 'internal'
),
amounts as (
    select
        subject, day, measure.measure as measure, measure.amount as amount,
        subject = $subject or lower(subject) = lower($email) as is_own
    from measured
    where measure.amount > 0
),
bins as (
    select measure, cast(floor(log10(amount) * 2) as integer) as bin, count(*) as days
    from amounts
    where not is_own
    group by measure, bin
)
select
    a.measure,
    coalesce(max(a.amount) filter (where a.is_own and a.day >= cast($first_day as date)), 0) as own,
    median(a.amount) filter (where not a.is_own) as median,
    max(a.amount) filter (where not a.is_own) as highest,
    count(*) filter (where not a.is_own) as days,
    (
        select string_agg(b.bin || ':' || b.days, ',' order by b.bin)
        from bins as b
        where b.measure = a.measure
    ) as bins
from amounts as a
group by a.measure
order by a.measure;
