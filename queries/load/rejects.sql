-- Records on their way to the quarantine.
create temp table rejects (page integer, sha256 varchar, reason varchar, record_text varchar);
