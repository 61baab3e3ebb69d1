// While a question is answered the page says for how long, and the question can be given up; without this script the
// browser's own button does that. It runs before the page is there: some answers come piece by piece.
const waiting = document.createElement("p");
waiting.className = "waiting";
const said = document.createElement("span");
said.setAttribute("role", "status");
const cancel = document.createElement("button");
cancel.type = "button";
cancel.textContent = "Cancel (Esc)";
waiting.append(said, " ");
let start = 0;
let timer;
let coming;

const seconds = () => `${Math.round((Date.now() - start) / 1000)} s`;

const end = (text) => {
  clearInterval(timer);
  timer = undefined;
  said.textContent = text;
  cancel.remove();
};

const giveUp = () => {
  if (timer === undefined) return;
  // The server hears that nobody waits any more, and ends the question.
  window.stop();
  clearInterval(coming);
  end(`Given up after ${seconds()}.`);
};

cancel.addEventListener("click", giveUp);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") giveUp();
});

const waitBelow = (element) => {
  end("");
  start = Date.now();
  const tell = () => {
    said.textContent = `Asking for ${seconds()}.`;
  };
  tell();
  timer = setInterval(tell, 1000);
  waiting.append(cancel);
  element.after(waiting);
};

document.addEventListener("submit", ({ target }) => waitBelow(target));

// This page itself may still be coming in.
coming = setInterval(() => {
  if (document.querySelector(".progress") === null || timer !== undefined) return;
  waitBelow(document.querySelector("main form"));
}, 200);
document.addEventListener("DOMContentLoaded", () => {
  clearInterval(coming);
  if (timer !== undefined) end("");
});

// Whoever comes back finds the page as it was before.
addEventListener("pagehide", () => {
  end("");
  waiting.remove();
});
