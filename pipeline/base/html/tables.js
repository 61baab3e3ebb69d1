// Tables sort by a click on a column and show the rows that contain a text; without this script they are tables.
{
  const mostPlainRows = 20;

  const readValue = (row, i) => {
    const cell = row.cells[i];
    const { v } = cell.dataset;
    const number = Number(v);
    if (v === undefined) return cell.classList.contains("n") ? -Infinity : cell.textContent.trim();
    return Number.isNaN(number) ? v : number;
  };

  const compare = (x, y) =>
    typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : typeof x < typeof y ? -1 : 1;

  const makeSortable = (table) => {
    const [body] = table.tBodies;
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const isDown =
          head.getAttribute("aria-sort") === "descending" ||
          (head.getAttribute("aria-sort") === null && !head.classList.contains("n"));
        for (const each of heads) each.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", isDown ? "ascending" : "descending");
        const sign = isDown ? 1 : -1;
        rows.sort((a, b) => sign * compare(readValue(a, i), readValue(b, i)));
        body.append(...rows);
      });
    });
    return rows;
  };

  const addFilter = (frame, rows) => {
    const input = document.createElement("input");
    input.type = "search";
    input.className = "rows";
    input.placeholder = "Filter rows";
    input.setAttribute("aria-label", "Filter rows");
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    let foot = frame.querySelector(":scope > .foot");
    if (foot === null) {
      foot = document.createElement("div");
      foot.className = "foot";
      frame.append(foot);
    }
    foot.prepend(input, count);
    input.addEventListener("input", () => {
      const text = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text);
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = text === "" ? "" : `${shown} of ${rows.length} rows`;
    });
  };

  // A table that fits needs no box that scrolls, so that its header stays in view; one that does not can be scrolled by
  // the keyboard.
  const fit = () => {
    for (const box of document.querySelectorAll(".tw")) {
      box.classList.remove("fits");
      const isWide = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle("fits", !isWide);
      if (isWide) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    }
  };

  for (const table of document.querySelectorAll("table[data-sorts]")) {
    const rows = makeSortable(table);
    const frame = table.closest(".tab");
    if (frame !== null && rows.length > mostPlainRows) addFilter(frame, rows);
  }
  for (const box of document.querySelectorAll(".all > .cb"))
    box.addEventListener("change", () => {
      const address = new URL(location.href);
      if (box.checked) address.searchParams.set("columns", "all");
      else address.searchParams.delete("columns");
      if (location.protocol.startsWith("http")) history.replaceState(null, "", address);
      fit();
    });
  fit();
  addEventListener("resize", fit);
}
