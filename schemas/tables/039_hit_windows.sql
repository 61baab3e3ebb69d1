-- Start of the time whose events a hit counts.
alter table detection_hits add column window_start timestamp;
