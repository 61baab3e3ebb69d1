-- Takes out the events and the quarantined records of a time.
delete from event_rows
where event_time < $before::timestamp and ($source is null or source = $source);

delete from quarantine
where quarantine_key in (select quarantine_key from old_quarantine);
