delete from state.refused_rows;
