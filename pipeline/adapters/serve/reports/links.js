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
