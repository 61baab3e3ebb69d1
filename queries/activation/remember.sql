-- The rows of this run are those that the next one is compared with.
drop table state.previous_rows;
alter table state.incoming rename to previous_rows;
delete from state.activation_keys;
insert into state.activation_keys (id_key, delta_keys)
values ($id_key, $delta_keys);
