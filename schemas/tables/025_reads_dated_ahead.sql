-- Runs whose clock was ahead: a later run found their reads dated after its own time. Such reads prove nothing.
create table runs_dated_ahead (
    source varchar not null,
    run_id varchar not null,
    found_at timestamp not null
);

-- The claimed time of such a read. Its read_at is the start of its window, so that every other read counts as newer, or
-- the time of the detection if the window had not started by then.
alter table window_reads add column claimed_at timestamp;

-- Until now the service's clock alone closed a window. A window that had not ended by both clocks was open.
update window_reads
set state = 'open', reason = null, evidence = []
where not is_mark
  and window_end > least(read_at, coalesce(server_time, read_at))
  and state in ('finalized', 'closed');
