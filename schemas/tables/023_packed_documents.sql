-- No table changes: what is landed of users and policies is packed from here on, which an older program cannot read.
select 1;
