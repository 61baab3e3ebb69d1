-- Imports that were taken back: their pages stay on the disk, and nothing of them is loaded again.
create table undone_reads (
    read_id varchar not null,
    run_id varchar not null,
    source varchar not null,
    undone_at timestamp not null
);
