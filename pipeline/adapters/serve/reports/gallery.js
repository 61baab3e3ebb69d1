// Favourites are in this browser alone; the search narrows the cards while it is typed, and asks the server on Enter.
{
  const key = "auditlake.favourites";
  const read = () => {
    try {
      return new Set(JSON.parse(localStorage.getItem(key) ?? "[]"));
    } catch {
      return new Set();
    }
  };
  const write = (names) => {
    try {
      localStorage.setItem(key, JSON.stringify([...names]));
    } catch {
      // A browser without storage forgets them.
    }
  };

  const section = document.getElementById("favourites");
  const mark = (star, isOn) => {
    star.setAttribute("aria-pressed", String(isOn));
    star.textContent = isOn ? "★" : "☆";
    star.classList.toggle("on", isOn);
  };

  // A card of a favourite is shown a second time on top; both stars act alike.
  const show = () => {
    const names = read();
    for (const star of document.querySelectorAll(".star")) {
      star.hidden = false;
      mark(star, names.has(star.closest("[data-report]").dataset.report));
    }
    if (section === null) return;
    const cards = [...names].flatMap((name) => {
      const card = document.querySelector(`.reps > [data-report="${CSS.escape(name)}"]`);
      return card === null || section.contains(card) ? [] : [card.cloneNode(true)];
    });
    section.querySelector(".reps").replaceChildren(...cards);
    section.hidden = cards.length === 0;
  };

  document.addEventListener("click", ({ target }) => {
    const star = target.closest(".star");
    if (star === null) return;
    const names = read();
    const { report } = star.closest("[data-report]").dataset;
    if (!names.delete(report)) names.add(report);
    write(names);
    show();
  });

  const field = document.querySelector(".gallery input[name=q]");
  field?.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const card of document.querySelectorAll(".rep"))
      card.hidden = !words.every((word) => card.dataset.text.includes(word));
    for (const group of document.querySelectorAll("main section:not(#favourites)"))
      group.hidden = group.querySelector(".rep:not([hidden])") === null;
  });
  show();
}
