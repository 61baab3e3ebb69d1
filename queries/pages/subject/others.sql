-- name: days
-- Events of everyone in each quarter of an hour.
select epoch_ms(time_bucket(interval '15 minutes', event_time)) as slot_ms, count(*) as events
from event_rows
where event_time >= $since::timestamp
  and event_time < $until::timestamp
group by slot_ms
order by slot_ms;

-- name: usual
-- What people did in the range, but for one of them: how many they are, the median and the most of one of them. As
-- recorded first, so that names are looked up for few rows.
with
-- part: person_keys
recorded as (
    select
        e.source, e.user_id, e.user_email, e.ip_address,
        count(*) as events,
        count(*) filter (where e.denial_kind = 'failed_sign_in') as failed_sign_ins,
        sum(e.bytesize) filter (where e.canonical_name = 'job_result_download' and e.outcome = 'succeeded') as bytes
    from events as e
    where e.event_time >= $since::timestamp
      and e.event_time < $until::timestamp
      and (e.user_id is not null or e.user_email <> '')
    group by e.source, e.user_id, e.user_email, e.ip_address
),
others as (
    select
        r.source, coalesce(cast(r.user_id as varchar), lower(r.user_email)) as person,
        sum(r.events) as events, sum(r.failed_sign_ins) as failed_sign_ins, coalesce(sum(r.bytes), 0) as bytes,
        count(distinct r.ip_address) filter (where r.ip_address <> 'internal') as addresses
    from recorded as r
    left join ids as i on i.source = r.source and i.user_id = r.user_id
    left join emails as m on m.source = r.source and r.user_id is null and m.email = lower(r.user_email)
    where i.user_id is null
      and m.email is null
    group by r.source, coalesce(cast(r.user_id as varchar), lower(r.user_email))
)
select
    count(*) as people,
    median(events)::bigint as median_events, max(events)::bigint as most_events,
    median(failed_sign_ins)::bigint as median_failed_sign_ins, max(failed_sign_ins)::bigint as most_failed_sign_ins,
    median(bytes)::bigint as median_bytes, max(bytes)::bigint as most_bytes, sum(bytes)::bigint as all_bytes,
    median(addresses)::bigint as median_addresses, max(addresses)::bigint as most_addresses
from others;
