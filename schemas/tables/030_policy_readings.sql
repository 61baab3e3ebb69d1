-- The interval of a reading by the service's clock, null if the service sent no time, and its order among the changes
-- in the log, computed by queries/derived/policy_snapshots.
alter table policy_snapshots add column earliest_at timestamp;

alter table policy_snapshots add column latest_at timestamp;

alter table policy_snapshots add column place varchar default 'ordered';
