-- name: rows
-- A page of the queue: the most severe first, new ones before acknowledged ones, then the newest.
with
-- part: matching_findings
listed as (
    select
        finding_id, detection, severity, title, message, source, subject_kind, subject, key,
        strftime(first_at, '%Y-%m-%dT%H:%M:%SZ') as first_at,
        strftime(last_at, '%Y-%m-%dT%H:%M:%SZ') as last_at,
        strftime(raised_at, '%Y-%m-%dT%H:%M:%SZ') as raised_at,
        hits, measures, state, closed_as, attack, rank,
        count(*) over () as total,
        row_number() over (order by rank desc, state <> 'new', last_at desc, finding_id) as place
    from matching_findings
    where list_contains(string_split($states, ','), state)
      and last_at >= cast($since as timestamp)
      and first_at < cast($until as timestamp)
      and rank >= $least
)
select
    finding_id, detection, severity, title, message, source, subject_kind, subject, key, first_at, last_at, raised_at,
    hits, measures, state, closed_as, attack, total
from listed
where place > $skipped
  and place <= $skipped + $most
order by place;

-- name: counts
-- How many findings each state has within the time and outside of it, and how many are new since a moment.
with
-- part: matching_findings
placed as (
    select
        state, raised_at, first_at,
        last_at >= cast($since as timestamp) and first_at < cast($until as timestamp) as is_within
    from matching_findings
    where rank >= $least
)
select
    state,
    count(*) filter (where is_within) as findings,
    count(*) filter (where not is_within) as outside,
    count(*) filter (where is_within and raised_at >= cast($new_since as timestamp)) as added,
    strftime(min(first_at) filter (where is_within), '%Y-%m-%dT%H:%M:%SZ') as oldest_at
from placed
group by state
order by state;

-- name: days
-- Findings per day of their first hit and severity.
with
-- part: matching_findings
dated as (
    select cast(first_at as date) as day, severity
    from matching_findings
    where list_contains(string_split($states, ','), state)
      and last_at >= cast($since as timestamp)
      and first_at < cast($until as timestamp)
      and rank >= $least
)
select cast(day as varchar) as day, severity, count(*) as findings
from dated
group by day, severity
order by day, severity;

-- name: decided
-- When the newest decision was made that the file has, and what a person acknowledged since a moment.
select
    strftime(max(decided_at), '%Y-%m-%d %H:%M:%S.%f') as newest_at,
    string_agg(finding_id, ',' order by finding_id) filter (
        where decision = 'acknowledge'
          and decided_by = $user
          and decided_at >= cast($since as timestamp)
    ) as acknowledged
from finding_decisions;

-- name: overtaken
-- Decisions on the state of some findings after a moment, the newest first.
select
    finding_id, decided_by,
    strftime(decided_at, '%Y-%m-%d %H:%M:%S') as decided_at,
    decision
from finding_decisions
where list_contains(string_split($ids, ','), finding_id)
  and decision in ('acknowledge', 'reopen', 'close')
  and ($since is null or decided_at > try_cast($since as timestamp))
order by decided_at desc, finding_id, decision;
