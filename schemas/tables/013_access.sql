-- Where an event stood in the read that brought it: what orders the changes of one second, if anything does.
alter table access_event_rows add column read_id varchar;

alter table access_event_rows add column page_number integer;

alter table access_event_rows add column record_number integer;

-- Order of times on the pages of a read with such an event: rising, falling, or neither.
create table read_order_rows (
    source varchar not null,
    read_id varchar not null,
    rising_pages bigint not null,
    falling_pages bigint not null,
    unordered_pages bigint not null
);

-- Whether several changes of one second leave open if it was held.
alter table permission_span_rows add column is_uncertain boolean default false;
