-- name: incoming
create or replace temp table incoming_hits (
    source varchar, key varchar, hit_time varchar, window_start varchar, event_keys varchar, subject varchar,
    measures varchar, message varchar, next varchar
);

-- name: clear
-- Clears the hits of a time range before new ones are stored.
delete from detection_hits
where detection = $detection
  and hit_time >= $since::timestamp
  and hit_time < $until::timestamp;

-- name: store
insert into detection_hits (
    detection, source, key, hit_time, window_start, event_keys, subject, measures, message, next
)
select
    $detection as detection, source, key, cast(hit_time as timestamp) as hit_time,
    cast(window_start as timestamp) as window_start,
    case when event_keys = '' then [] else string_split(event_keys, ' ') end as event_keys,
    subject, measures, message, next
from incoming_hits;

-- name: evaluated
delete from detection_states
where detection = $detection;

insert into detection_states (detection, fingerprint, evaluated_change)
values ($detection, $fingerprint, $change);

-- name: run
insert into detection_runs (
    run_id, detection, evaluated_from, evaluated_to, hits, known_hits, new_findings, milliseconds, outcome, error
)
values (
    $run_id, $detection, $from::timestamp, $to::timestamp, $hits, $known_hits, 0, $milliseconds, $outcome, $error
);
