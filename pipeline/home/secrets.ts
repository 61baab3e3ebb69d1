/** Text without the secrets, in whatever form they stand there. */
export type Scrub = (text: string) => string;

/**
 * What takes secrets out of text. It finds them as they are, in either case (a host name has but one), percent-encoded
 * wholly or in part, as JSON, hex and base64. All that is shown, logged or stored about a service passes here.
 */
export function newScrub(secrets: readonly string[]): Scrub {
  // The longest first, so that nothing is left of one that has another in it.
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  const patterns = [...known.map(spelledPattern), ...known.flatMap(formsOf).map(literal)];
  const all = new RegExp(patterns.join("|"), "gi");
  return (text) => text.replace(all, "[secret]");
}

/** Takes the secrets out of an error, its stack and its causes, and returns it. */
export function scrubbed(thrown: unknown, scrub: Scrub): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    for (const key of ["message", "stack"] as const) {
      const text = error[key];
      // Errors of the platform have getters, which an own value stands in front of.
      if (text !== undefined && scrub(text) !== text)
        Object.defineProperty(error, key, { value: scrub(text), configurable: true });
    }
  }
  return thrown;
}

// Each character by itself or percent-encoded, which may be done more than once.
function spelledPattern(secret: string): string {
  return [...secret].map(characterPattern).join("");
}

function characterPattern(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => `%(?:25)*${hexOf(byte)}`).join("");
  // Two ways to read the same percent sign would be tried in every combination.
  return character === "%" ? "%(?:25)*" : `(?:${literal(character)}|${bytes})`;
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

// Pieces shorter than that stand in many a harmless line, too.
const leastPiece = 8;

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const escaped = JSON.stringify(secret).slice(1, -1);
  const pieces = [hex, ...piecesOf(bytes)].filter(({ length }) => length >= leastPiece);
  return [escaped, bytes.toString("base64"), ...pieces].sort((a, b) => b.length - a.length);
}

// Inside other base64 it stands in one of three ways, depending on how many bytes come before it.
function piecesOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6)];
    return [all.toString("base64"), all.toString("base64url")].map((text) =>
      text.slice(start, end),
    );
  });
}
