-- What a copy must hold, too; none of it has to be read, since the database knows how many rows a table has.
select
    (select count(*) from event_rows) as events,
    (select count(*) from window_reads) as reads,
    (select count(*) from quarantine) as quarantined;
