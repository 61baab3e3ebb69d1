-- Rows of this read that an earlier read brought already. Merge by maximum: nothing else is ever deleted,
-- and nothing that is stored is changed.
delete from event_rows
where read_id = $read_id
  and event_key in (
      select k.event_key
      from event_rows as k
      where k.source = $source
        and k.read_id <> $read_id
        and k.event_date between cast($first_event_time::timestamp as date) and cast($last_event_time::timestamp as date)
  );
