// Charts answer to pointer and keyboard; without this script they are pictures whose marks are links.
{
  // Tooltips: the name of a mark, on hover and focus. Screen readers have the name already.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  const hideTip = () => (tip.style.display = "none");
  const showTip = (event) => {
    const mark = event.target.closest?.("[data-t]");
    if (!mark) return hideTip();
    tip.textContent = mark.getAttribute("aria-label");
    tip.style.display = "block";
    const box = mark.getBoundingClientRect();
    const left = box.left + box.width / 2 - tip.offsetWidth / 2;
    const above = box.top - tip.offsetHeight - 6;
    tip.style.left = `${Math.min(Math.max(8, left), innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${above < 4 ? box.bottom + 6 : above}px`;
  };
  document.addEventListener("pointerover", showTip);
  document.addEventListener("focusin", showTip);
  addEventListener("scroll", hideTip, { passive: true });

  // One tab stop per chart: arrow keys move within it.
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
    const mark = document.activeElement?.closest("svg[data-rove] [data-t]");
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!mark || !isPlain) return;
    const marks = [...mark.closest("svg[data-rove]").querySelectorAll("[data-t]")];
    const ends = { Home: 0, End: marks.length - 1 };
    const next = marks[ends[event.key] ?? marks.indexOf(mark) + (steps[event.key] ?? NaN)];
    if (!next) return;
    event.preventDefault();
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });

  // A click on an entry of a legend hides its series; what lies above it in a stack moves down.
  const restack = (stack) => {
    const boxes = [...stack.querySelectorAll("[data-s] > rect")];
    for (const box of boxes) {
      box.dataset.y ??= box.getAttribute("y");
      box.dataset.height ??= box.getAttribute("height");
    }
    const bottom = Math.max(
      ...boxes.map((box) => Number(box.dataset.y) + Number(box.dataset.height)),
    );
    let reached = bottom;
    for (const box of boxes) {
      if (box.parentElement.style.display === "none") continue;
      reached -= Number(box.dataset.height);
      box.setAttribute("y", reached);
    }
    const stripes = stack.querySelector(".hf");
    stripes?.setAttribute("y", reached);
    stripes?.setAttribute("height", bottom - reached);
  };

  const makeLegend = (legend) => {
    const chart = legend.closest("figure, .card")?.querySelector("svg.ch[data-rove]");
    const entries = [...legend.querySelectorAll(".swl[data-s]")];
    if (!chart || entries.length < 2) return;
    for (const entry of entries) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.append(...entry.childNodes);
      entry.append(button);
      button.addEventListener("click", () => {
        const isShown = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(isShown));
        button.classList.toggle("off", !isShown);
        for (const part of chart.querySelectorAll(`g[data-s="${entry.dataset.s}"]`))
          part.style.display = isShown ? "" : "none";
        for (const stack of chart.querySelectorAll("[data-stack]"))
          if (stack.querySelector("[data-s]")) restack(stack);
        // What is usual, and what labels name, is the whole.
        const isWhole = !legend.querySelector(".off");
        for (const part of chart.querySelectorAll(".use, .an, .lead"))
          part.style.display = isWhole ? "" : "none";
      });
    }
  };
  for (const legend of document.querySelectorAll(".lg")) makeLegend(legend);
}
