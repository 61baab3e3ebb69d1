-- Where the rows of a class went.
delete from state.places
where delta_status = $delta_status;
insert into state.places (delta_status, place)
values ($delta_status, $place);
