-- What the destination has now is what the next run is compared with.
drop table state.previous_rows;
alter table state.next_rows rename to previous_rows;
drop table state.incoming;
drop table state.begun_rows;
delete from state.begun;
delete from state.last_number;
insert into state.last_number (number)
values ($number);
delete from state.activation_keys;
insert into state.activation_keys (id_key, delta_keys, id_type)
values ($id_key, $delta_keys, $id_type);
