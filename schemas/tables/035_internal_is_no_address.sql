-- The word for the platform's own requests is no address that was seen.
delete from sighting_rows where subject_kind = 'address' and subject = 'internal';

delete from pruned_sighting_rows where subject_kind = 'address' and subject = 'internal';
