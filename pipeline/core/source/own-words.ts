import { printable } from "../../base/printable.ts";
import type { Scrub } from "../../base/home/secrets.ts";
import { jsonOf } from "../../base/rows/json-text.ts";

const longest = 200;

// Keys of a record of the log, or of a user.
const ofRecords = /"(?:event_name|time|user_id|email)":/i;

/**
 * The first line of what the service says with a refusal, for people: without the secrets, printable, at most 200
 * characters. Undefined where it says nothing, or sends an HTML page or records.
 */
export function ownWords(answer: string, scrub: Scrub): string | undefined {
  const text = answer.trim();
  if (text === "" || text.startsWith("<") || mayHoldRecords(text)) return undefined;
  const [first = ""] = text.split(/\r?\n|\r/);
  // The first line of a JSON object that spans several lines is only its bracket, so the lines are joined.
  const line = /^[[{]\s*$/.test(first) ? text.replaceAll(/\s+/g, " ") : first.trim();
  const shown = [...printable(scrub(line, true))];
  return shown.length > longest ? `${shown.slice(0, longest - 1).join("")}…` : shown.join("");
}

// A proxy may send the page itself with a refusal, whole or cut off, and what that holds is in no message.
function mayHoldRecords(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  const found = jsonOf(text);
  // Written anew, so that no key is spelled by escapes.
  return found === undefined || Array.isArray(found) || ofRecords.test(JSON.stringify(found));
}
