-- What the derived tables were folded with, and how many events there are.
select
    (select max(derived_version) from derived_versions) as derived_version,
    (select count(*) from event_rows) as events;
