// A string, or what opens, closes or parts a value; numbers and words between them do not matter.
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * The first key that one object of a JSON text names twice, unescaped; undefined where there is none. A reader keeps
 * one of the two values, and which one is the reader's own choice. The text is valid JSON.
 */
export function repeatedKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [text] of json.matchAll(token)) {
    if (text === "{") open.push(new Set());
    else if (text === "[") open.push(undefined);
    else if (text === "}" || text === "]") open.pop();
    else if (text === ":") {
      const keys = open.at(-1)!;
      const key = JSON.parse(last) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    last = text;
  }
  return undefined;
}
