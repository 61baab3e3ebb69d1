/** The names most like a mistyped one, best first, at most three; empty where none is near. */
export function findClosestNames(wanted: string, names: readonly string[]): string[] {
  // In a word of three letters, two changes already make another word.
  const limit = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: measureDistance(wanted, name) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * The same where every name is a candidate: those with the smallest differing part, also compared by the part before an
 * `@`. Names that share nothing with the word are left out.
 */
export function findNearestNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({
      name,
      distance: Math.min(
        measureDifferingPart(wanted, name),
        measureDifferingPart(wanted, name.split("@")[0]!),
      ),
    }))
    .filter(({ distance }) => distance < 1)
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

// From 0 (equal) to 1. Weighted by length, because few edits turn one short name into another.
function measureDifferingPart(wanted: string, name: string): number {
  return measureDistance(wanted, name) / Math.max(wanted.length, name.length, 1);
}

function measureDistance(wanted: string, name: string): number {
  return wanted.length > 2 && name.includes(wanted) ? 1 : editDistance(wanted, name);
}

/** Single-character edits (insert, delete, replace) from one text to the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
