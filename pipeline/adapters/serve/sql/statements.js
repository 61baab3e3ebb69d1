// Statements that are saved in this browser, the filter of tables, and names of columns that a click inserts.
{
  const key = "auditlake.statements";
  const form = document.getElementById("statement");
  const field = form.querySelector("textarea");

  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "[]");
    } catch {
      return [];
    }
  };
  const write = (statements) => {
    try {
      localStorage.setItem(key, JSON.stringify(statements));
    } catch {
      // A browser without storage forgets them.
    }
  };

  const open = (sql) => {
    const sender = document.createElement("form");
    sender.method = "post";
    sender.action = "/sql";
    for (const [name, value] of Object.entries({ sql, change: "1" })) {
      const input = document.createElement("input");
      input.type = "hidden";
      input.name = name;
      input.value = value;
      sender.append(input);
    }
    document.body.append(sender);
    sender.requestSubmit();
  };

  const makeButton = (text, label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "line";
    button.textContent = text;
    if (label !== undefined) button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  };

  const show = () => {
    const statements = read();
    const section = document.getElementById("saved");
    section.hidden = statements.length === 0;
    const lines = statements.map(({ name, sql }) => {
      const line = document.createElement("div");
      line.className = "saved";
      line.append(
        makeButton(name, undefined, () => open(sql)),
        makeButton("×", `Delete ${name}`, () => {
          write(read().filter((each) => each.name !== name));
          show();
        }),
      );
      return line;
    });
    section.querySelector(".tree").replaceChildren(...lines);
  };

  const save = document.getElementById("save-statement");
  save.hidden = false;
  save.addEventListener("click", () => {
    const sql = field.value;
    const name = sql.trim() === "" ? null : prompt("Name of this statement");
    if (name === null || name.trim() === "") return;
    write([...read().filter((each) => each.name !== name), { name, sql }]);
    show();
  });

  const filter = document.getElementById("tables-filter");
  filter.hidden = false;
  filter.addEventListener("input", () => {
    const text = filter.value.toLowerCase();
    document.getElementById("more-tables").open = text !== "";
    for (const table of document.querySelectorAll("[data-table]")) {
      const isNamed = table.dataset.table.includes(text);
      const columns = [...table.querySelectorAll("li")];
      for (const column of columns) column.hidden = !isNamed && !column.textContent.includes(text);
      table.hidden = !isNamed && columns.every((column) => column.hidden);
      table.open = text !== "" && !isNamed && !table.hidden;
    }
  });

  // The editor, where there is one, takes the event; else the field itself does.
  for (const name of document.querySelectorAll("[data-inserts]"))
    name.addEventListener("click", () => {
      const detail = name.dataset.inserts;
      const event = new CustomEvent("insert-text", { detail, cancelable: true });
      if (!field.dispatchEvent(event)) return;
      field.setRangeText(detail, field.selectionStart, field.selectionEnd, "end");
      field.focus();
    });

  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });

  // The address becomes the link of what ran, so that reload and back run the same.
  if (form.dataset.link !== undefined) history.replaceState(null, "", form.dataset.link);
  show();
}
