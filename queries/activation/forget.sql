-- A delivery of which nothing went out is none.
delete from state.begun;
drop table if exists state.begun_rows;
drop table if exists state.incoming;
