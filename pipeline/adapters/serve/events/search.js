// Searches that are saved in this browser, and Alt-click, which excludes the value of a facet.
{
  const key = "auditlake.searches";
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "[]");
    } catch {
      return [];
    }
  };
  const write = (searches) => {
    try {
      localStorage.setItem(key, JSON.stringify(searches));
    } catch {
      // A browser without storage forgets them.
    }
  };

  const frame = document.getElementById("searches");
  const writeSaved = ({ name, address }) => {
    const chip = document.createElement("span");
    chip.className = "chip";
    const link = document.createElement("a");
    link.className = "v";
    link.href = `/events${address}`;
    link.textContent = name;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = "×";
    remove.setAttribute("aria-label", `Delete saved search ${name}`);
    remove.addEventListener("click", () => {
      write(read().filter((each) => each.address !== address));
      show();
    });
    chip.append(link, remove);
    return chip;
  };
  const show = () => {
    const searches = read();
    frame.hidden = searches.length === 0;
    frame.querySelector("div").replaceChildren(...searches.map(writeSaved));
  };

  // Filters name a search; what is saved is the address, with a range such as 7d as it was chosen.
  const nameSearch = () => {
    const chips = [...document.querySelectorAll(".chips > .chip")].map((chip) =>
      [...chip.querySelectorAll("span")].map(({ textContent }) => textContent.trim()).join(" "),
    );
    return chips.length === 0 ? "All events" : chips.join(", ").slice(0, 120);
  };
  const save = document.getElementById("save-search");
  if (save !== null) save.hidden = false;
  save?.addEventListener("click", () => {
    const address = location.search;
    const others = read().filter((each) => each.address !== address);
    write([...others, { name: nameSearch(), address }]);
    save.textContent = "Saved";
    show();
  });

  document.querySelector(".facets")?.addEventListener("click", (event) => {
    const value = event.altKey ? event.target.closest("a.t") : null;
    const exclude = value?.parentElement.querySelector("a.x");
    if (!exclude) return;
    event.preventDefault();
    location.assign(exclude.href);
  });
  show();
}
