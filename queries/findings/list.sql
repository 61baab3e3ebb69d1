-- name: rows
-- Findings, the most severe first; `least` is the rank of the least severity.
with
ranked as (
    select
        finding_id, severity, first_at, last_at, hits, message, subject, detection, state, suppressed_by, raised_at, source,
        case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end as rank
    from findings
    where ($state is null or list_contains(string_split($state, ','), case
              when suppressed_by is not null and state = 'open' then 'suppressed'
              else state
          end))
      and ($subject is null or lower(subject) = lower($subject))
      and ($detection is null or detection = $detection)
      and ($since is null or last_at >= cast($since as timestamp))
      and ($source is null or source = $source)
)
select
    finding_id, severity, first_at, message, subject, detection, last_at, hits,
    case when suppressed_by is not null and state = 'open' then 'suppressed' else state end as state,
    suppressed_by, raised_at, source
from ranked
where rank >= cast($least as integer)
order by rank desc, last_at desc, finding_id;

-- name: ocsf
-- The same for another form, with times in milliseconds.
select
    finding_id, detection, severity, title, message, source, subject_kind, subject, key,
    epoch_ms(first_at) as first_ms, epoch_ms(last_at) as last_ms, epoch_ms(raised_at) as raised_ms,
    hits, state, suppressed_by is not null as is_suppressed, attack, runbook
from findings
where list_contains(string_split($ids, ','), finding_id)
order by raised_at, finding_id;
