-- What an import brought, how much of it another read has shown, too, and what it alone left in the quarantine.
select
    (select count(*) from undone_keys) as events,
    (select count(*) from undone_keys as u semi join event_rows as e on e.event_key = u.event_key and e.source = $source) as kept,
    (
        select count(*) from undone_quarantine as u anti join quarantine as q on q.quarantine_key = u.quarantine_key
    ) as quarantined;
