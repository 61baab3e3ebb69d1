-- What the rows mean: the rule by which records are one event, and what the ledger keeps. Another number is another
-- store, which is made anew from the landed pages.
create table store_version (
    version integer not null
);

insert into store_version (version) values (2);
