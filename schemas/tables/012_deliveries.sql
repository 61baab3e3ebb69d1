-- One row per row of an activation that did not arrive: refused, uncertain, or given up by a person; brought here from
-- the activation's own file after a run of it ended.
create table refused_rows (
    activation varchar not null,
    delivery varchar not null,
    delta_status varchar not null,
    row_key varchar not null,
    content_hash varchar not null,
    state varchar not null,
    reason varchar not null,
    first_tried_at timestamp not null,
    last_tried_at timestamp not null,
    tries bigint not null
);
