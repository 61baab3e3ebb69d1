import { printable } from "../printable.ts";
import type { Scrub } from "../home/secrets.ts";

const longest = 200;

/**
 * The first line of what the service says with a refusal, for people: without the secrets, printable, at most 200
 * characters. Undefined where it says nothing, or an HTML page.
 */
export function ownWords(answer: string, scrub: Scrub): string | undefined {
  const text = answer.trim();
  if (text === "" || text.startsWith("<")) return undefined;
  const [first = ""] = text.split(/\r?\n|\r/);
  // The first line of a JSON object that spans several lines is only its bracket, so the lines are joined.
  const line = /^[[{]\s*$/.test(first) ? text.replaceAll(/\s+/g, " ") : first.trim();
  const shown = [...printable(scrub(line))];
  return shown.length > longest ? `${shown.slice(0, longest - 1).join("")}…` : shown.join("");
}
