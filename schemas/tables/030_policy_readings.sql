-- The interval of a reading by the service's clock, null where the service sent no time, and the order of the reading
-- among the changes in the log, as the fold finds it (queries/derived/readings.sql).
alter table policy_snapshots add column earliest_at timestamp;

alter table policy_snapshots add column latest_at timestamp;

alter table policy_snapshots add column place varchar default 'ordered';
