// While a question is answered the page says for how long, and the question can be given up; without this script the
// browser's own button does that.
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
  end(`Given up after ${seconds()}.`);
};

cancel.addEventListener("click", giveUp);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") giveUp();
});

document.addEventListener("submit", ({ target }) => {
  end("");
  start = Date.now();
  const tell = () => {
    said.textContent = `Asking for ${seconds()}.`;
  };
  tell();
  timer = setInterval(tell, 1000);
  waiting.append(cancel);
  target.after(waiting);
});

// Whoever comes back finds the page as it was before.
addEventListener("pagehide", () => {
  end("");
  waiting.remove();
});
