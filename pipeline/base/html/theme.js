// The theme is set before the first paint: the one that was chosen, else that of the system.
{
  const themeKey = "auditlake.theme";
  const root = document.documentElement;

  const readTheme = () => {
    try {
      return localStorage.getItem(themeKey);
    } catch {
      return null;
    }
  };

  const chosen = readTheme();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (button === null) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const current =
        root.dataset.theme ??
        (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      const next = current === "dark" ? "light" : "dark";
      root.dataset.theme = next;
      try {
        localStorage.setItem(themeKey, next);
      } catch {
        // A browser without storage forgets the choice.
      }
    });
  });

  // "/" leads to the jump field; a choice of the frame is sent at once.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { activeElement } = document;
    if (activeElement?.closest("input:not(.cb), textarea, select, [contenteditable=true]")) return;
    const field = document.querySelector(".jump input");
    if (field === null) return;
    event.preventDefault();
    field.focus();
  });
  // Escape closes an open form, and leaves the jump field.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const { activeElement } = document;
    const open = activeElement?.closest("details.custom[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (activeElement?.matches(".jump input")) activeElement.blur();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("select[data-sends]")) target.form.requestSubmit();
  });
}
