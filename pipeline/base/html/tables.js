// Tables sort by a click on a column and show the rows that a text is in; without this script they are tables.
for (const table of document.querySelectorAll("table[data-sorts]")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];

  const valueOf = (row, i, isNumber) => {
    const text = row.cells[i].textContent;
    return isNumber ? (text === "" ? -Infinity : Number(text)) : text;
  };

  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDown = head.getAttribute("aria-sort") === "ascending";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const isNumber = head.classList.contains("number");
      const sign = isDown ? -1 : 1;
      rows.sort((a, b) => {
        const [x, y] = [valueOf(a, i, isNumber), valueOf(b, i, isNumber)];
        return x < y ? -sign : x > y ? sign : 0;
      });
      body.append(...rows);
    });
  });

  if (rows.length < 6) continue;
  const label = document.createElement("label");
  label.className = "filter";
  label.append("Filter");
  const input = document.createElement("input");
  input.type = "search";
  const count = document.createElement("span");
  count.className = "quiet";
  count.setAttribute("role", "status");
  label.append(input);
  table.parentElement.before(label, count);
  input.addEventListener("input", () => {
    const text = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text);
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = text === "" ? "" : `${shown} of ${rows.length} rows`;
  });
}
