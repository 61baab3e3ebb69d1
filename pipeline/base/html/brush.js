// A drag over bars fills the two fields of a form and sends it; a double click empties them. By keyboard the fields do it.
{
  const readBrush = (chart) => {
    const form = document.getElementById(chart.dataset.brush);
    const names = (chart.dataset.fields ?? "since|until").split("|");
    const fields = names.map((name) => form?.elements[name]);
    if (!form || fields.some((field) => !field)) return undefined;
    const edges = chart.dataset.edges.split("|");
    const send = (...values) => {
      for (const [i, value] of values.entries()) {
        fields[i].value = value;
        fields[i].disabled = value === "";
      }
      form.requestSubmit();
    };
    return { chart, edges, send };
  };

  // Slots from the left, with a fraction.
  const place = ({ chart, edges }, event) => {
    const { left, width } = chart.getBoundingClientRect();
    const last = edges.length - 1;
    return Math.min(last, Math.max(0, ((event.clientX - left) / width) * last));
  };

  const showSelection = ({ chart, edges }, from, to) => {
    const last = edges.length - 1;
    const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    box.setAttribute("class", "brush");
    box.setAttribute("x", `${(from / last) * 100}%`);
    box.setAttribute("width", `${((to - from) / last) * 100}%`);
    box.setAttribute("y", "2");
    box.setAttribute("height", chart.getAttribute("height") - 24);
    for (const old of chart.querySelectorAll(".brush")) old.remove();
    chart.append(box);
  };

  // A hand that clicks is not quite still.
  const leastPixels = 4;

  const addDrag = (brush) => {
    const { chart, edges, send } = brush;
    let start;
    let isDrag = false;
    const order = (event) => [start, place(brush, event)].toSorted((a, b) => a - b);
    chart.addEventListener("pointerdown", (event) => {
      isDrag = false;
      start = event.button === 0 ? place(brush, event) : undefined;
    });
    chart.addEventListener("pointermove", (event) => {
      if (start === undefined || (event.buttons & 1) === 0) return;
      const [from, to] = order(event);
      isDrag ||= ((to - from) / (edges.length - 1)) * chart.clientWidth >= leastPixels;
      if (!isDrag) return;
      chart.setPointerCapture(event.pointerId);
      showSelection(brush, from, to);
    });
    chart.addEventListener("pointerup", (event) => {
      const [from, to] = start === undefined ? [] : order(event);
      start = undefined;
      if (isDrag) send(edges[Math.floor(from)], edges[Math.ceil(to)]);
    });
    chart.addEventListener("dragstart", (event) => event.preventDefault());
    return () => isDrag;
  };

  const msOfDoubleClick = 250;

  // A link is opened when no second click has come; by keyboard and into a new tab at once.
  const addClicks = ({ chart, send }, isDrag) => {
    let opening;
    chart.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
      if (!link || event.detail === 0 || (isElsewhere && !isDrag())) return;
      event.preventDefault();
      if (isDrag() || event.detail > 1) return;
      const open = () => location.assign(link.getAttribute("href"));
      opening = setTimeout(open, msOfDoubleClick);
    });
    chart.addEventListener("dblclick", () => {
      clearTimeout(opening);
      send("", "");
    });
  };

  for (const chart of document.querySelectorAll("svg[data-brush]")) {
    const brush = readBrush(chart);
    if (brush !== undefined) addClicks(brush, addDrag(brush));
  }
}
