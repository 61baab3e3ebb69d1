-- What a database was filled by, and whether events are due to be matched again; one row.
select
    (select max(rules_version) from catalog_versions) as matching,
    (select max(catalog_version) from catalog_versions) as catalog,
    (select max(content) from catalog_extra) as extra,
    (select max(view_version) from view_versions) as views,
    (select max(derived_version) from derived_versions) as folding,
    exists (select 1 from rematch_due) as is_rematch_due;
