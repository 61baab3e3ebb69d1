update state.refused_rows
set state = 'given_up'
where state <> 'given_up';
