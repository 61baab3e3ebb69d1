import { printable } from "../../base/printable.ts";
import { kindWords, type Kind, type KnownName } from "./known-names.ts";

/**
 * The line that says which one was taken for a text. It has the names at the moment and now where they differ, and says
 * so where it was not there. Undefined where an id was given, and nothing is to be said of it.
 */
export function namedLine(
  kind: Kind,
  text: string,
  own: readonly KnownName[],
  onMs: number | undefined,
): string | undefined {
  const id = own[0]!.id;
  const more = [...statesOf(own, onMs), ...namesOf(text, own, onMs)];
  if (text === id && more.length === 0) return undefined;
  const subject = `${kindWords[kind]} ${printable(id)}`;
  return [text === id ? subject : `${printable(text)} is ${subject}`, ...more].join(", ");
}

/** A moment as messages have it. */
export function momentText(onMs: number | undefined): string {
  return onMs === undefined ? "now" : new Date(onMs).toISOString();
}

// Of several sources one may know it as there.
function statesOf(own: readonly KnownName[], onMs: number | undefined): string[] {
  const states = own.map(({ state }) => state);
  if (states.includes("there")) return [];
  if (states.includes("gone")) return [`deleted by ${momentText(onMs)}`];
  return [`not made yet at ${momentText(onMs)}`];
}

function namesOf(text: string, own: readonly KnownName[], onMs: number | undefined): string[] {
  const shown = (names: readonly KnownName[]): string[] => [
    ...new Set(names.flatMap(({ name }) => (name === null ? [] : [printable(name)]))),
  ];
  const then = shown(own.filter(({ isThen }) => isThen));
  const now = shown(own.filter(({ isLast }) => isLast));
  const [left, come] = [without(then, now), without(now, then)];
  if (left.length > 0 && come.length > 0)
    return [`named ${left.join(", ")} at ${momentText(onMs)} and ${come.join(", ")} now`];
  const isToday = now.some((name) => name.toLowerCase() === printable(text).toLowerCase());
  return isToday || text === own[0]!.id || now.length === 0 ? [] : [`named ${now.join(", ")} now`];
}

function without(names: readonly string[], others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}
