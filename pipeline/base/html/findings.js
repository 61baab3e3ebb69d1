// Keys of the queue: j and k move, Enter opens, a acknowledges, x selects; "Select all" selects all rows.
{
  const rows = [...document.querySelectorAll("[data-finding]")];
  const form = document.querySelector("form[data-queue]");
  const legend = document.querySelector("[data-keys]");
  if (legend !== null) legend.hidden = false;

  const findCurrent = () => rows.findIndex((row) => row.contains(document.activeElement));
  const findBox = (row) => row?.querySelector("input[name=id]");
  const move = (by) => {
    const from = findCurrent();
    const to = from < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, from + by));
    rows[to]?.querySelector(".ttl").focus();
  };
  const acknowledge = () => {
    const button = form?.querySelector("button[value=acknowledge]");
    const selected = rows.some((row) => findBox(row)?.checked);
    const box = findBox(rows[findCurrent()]);
    if (!button || (!selected && !box)) return;
    if (!selected) box.checked = true;
    form.requestSubmit(button);
  };
  const select = () => {
    const box = findBox(rows[findCurrent()]);
    if (box) box.checked = !box.checked;
  };
  const actions = { j: () => move(1), k: () => move(-1), a: acknowledge, x: select };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { activeElement } = document;
    const isTyping = activeElement?.matches("input:not(.cb), textarea, select");
    if (isTyping || !Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });

  const all = document.querySelector("[data-all]");
  if (all !== null && rows.length > 0) {
    all.hidden = false;
    all.querySelector("input").addEventListener("change", ({ target }) => {
      for (const row of rows) {
        const box = findBox(row);
        if (box) box.checked = target.checked;
      }
    });
  }
}
