-- Readings of policies that add to the log: they are ordered among its changes or contradict them. is_first marks the
-- first reading of a policy without a contradiction.
create or replace temp table due_readings as
with
readings as (
    select
        t.series_key, s.read_at, s.snapshot_id, s.earliest_at is not null as is_dated,
        s.place = 'disputed' as is_disputed, coalesce(s.latest_at, s.read_at + interval 30 hour) as latest_at
    from policy_snapshots as s
    inner join due_series as t on t.subject_kind = 'policy' and t.source = s.source and t.subject_id = s.policy_id
    where s.place <> 'agreed'
)
select
    series_key, read_at, snapshot_id, is_dated, is_disputed, latest_at,
    not is_disputed and row_number() over (partition by series_key, is_disputed order by read_at) = 1 as is_first
from readings;
