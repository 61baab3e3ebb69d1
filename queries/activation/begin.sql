delete from state.begun;
insert into state.begun (number, began_at, due_at, id_key, id_type, delta_keys, all_new_because, mapped)
values (
    $number, cast($began_at as timestamp), cast($due_at as timestamp),
    $id_key, $id_type, $delta_keys, $all_new_because, $mapped
);
