-- What a slot of time counts: its events by lane, outcome and kind of denial, and whether an address was new to the log.
-- part: lane
    outcome, denial_kind, count(*) as events,
    sum(bytesize) filter (where event_name = 'job_result_download' and outcome = 'succeeded')::bigint as bytes,
    coalesce(
        bool_or((source, ip_address, event_time) in (
            select (s.source, s.subject, s.first_seen_at)
            from sightings as s
            where s.subject_kind = 'address'
              and s.first_seen_at >= (select min(a.first_seen_at) + interval 7 day from sightings as a)
        )),
        false
    ) as is_first
from subject_events
group by slot_ms, lane, outcome, denial_kind
order by slot_ms, lane, outcome, denial_kind;
