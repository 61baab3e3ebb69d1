-- What is folded from the events is folded anew where the catalog says something else of them.
delete from derived_versions
where exists (select 1 from rematch_due as d where d.is_folded);

delete from rematch_due;
