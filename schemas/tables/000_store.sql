-- The meaning of the rows: the rule of identity, and the form of the ledger. A store with another number is rebuilt
-- from the landed pages.
create table store_version (
    version integer not null
);

insert into store_version (version) values (2);
