// A permanent link is copied by a click.
for (const button of document.querySelectorAll("[data-copies]")) {
  const label = button.textContent;
  button.hidden = navigator.clipboard === undefined;
  button.addEventListener("click", () => {
    const address = new URL(button.dataset.copies, location.href).href;
    void navigator.clipboard.writeText(address).then(() => {
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    });
  });
}
// Downloads have the order that the table was sorted by in the browser.
for (const head of document.querySelectorAll("th[data-column]"))
  head.addEventListener("click", () => {
    const sign = head.getAttribute("aria-sort") === "descending" ? "-" : "";
    for (const link of document.querySelectorAll("a[data-download]")) {
      const address = new URL(link.href);
      address.searchParams.set("sort", `${sign}${head.dataset.column}`);
      link.href = address.href;
    }
  });
