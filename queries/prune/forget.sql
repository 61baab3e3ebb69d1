-- Takes out the events of a time, but for those that are kept, and its quarantined records.
delete from event_rows
where event_time < $before::timestamp and ($source is null or source = $source)
  and event_key not in (select k.event_key from kept_events as k);

delete from quarantine
where quarantine_key in (select quarantine_key from old_quarantine);
