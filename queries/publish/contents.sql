-- What a copy must hold, too: counts, and the events told apart by their keys in any order. The hash is
-- compared within one version of the database only, it is stored nowhere.
select
    (select count(*) from event_rows) as events,
    (select coalesce(bit_xor(hash(event_key, event_time, read_id)), 0) from event_rows) as event_hash,
    (select count(*) from window_reads) as reads,
    (select count(*) from quarantine) as quarantined;
