insert into fold_due (read_id, first_event_time, last_event_time, events)
values ($read_id, $first_time::timestamp, $last_time::timestamp, $events);
