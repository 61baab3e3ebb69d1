import { savedMarker } from "../../../schemas/connectors/saved.ts";

/** Removes the secrets from text, in any of their forms; from a text that `isCut`, also the start of one. */
export type Scrub = (text: string, isCut?: boolean) => string;

const mark = "[secret]";

/**
 * Creates a function that removes secrets from text. It finds them literally, in either case (a host name has but one),
 * percent-encoded wholly or in part, as JSON, hex and base64, and in text that is escaped or encoded several times. In
 * the last case the text is returned unescaped. Everything that is shown, logged or stored about a service passes here.
 */
export function newScrub(secrets: readonly string[]): Scrub {
  // Longest first, so that a secret containing another one is replaced completely.
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  const patterns = [
    ...known.map(buildWholePattern),
    ...known.flatMap(listForms).map(escapePattern),
  ];
  const all = new RegExp(patterns.join("|"), "gi");
  const starts = known.filter(({ length }) => length > leastPiece).map(startPattern);
  const start = new RegExp(starts.length === 0 ? "$^" : `(?:${starts.join("|")})$`, "i");
  return (text, isCut = false) => {
    const redactLayer = (layer: string): string => {
      const shown = layer.replace(all, mark);
      return isCut ? shown.replace(start, mark) : shown;
    };
    return redactText(text, redactLayer, mostEncodings) ?? text;
  };
}

// Unescaped text is read again, in case that it was escaped more than once.
const mostRounds = 8;
const mostEncodings = 3;

// Undefined where no layer of the text has anything to redact; else the last layer that has.
function redactText(
  text: string,
  redact: (layer: string) => string,
  depth: number,
): string | undefined {
  let now = text;
  let shown: string | undefined;
  const lookInside = (next: string): void => {
    now = redact(next);
    if (now !== next) shown = now;
  };
  lookInside(text);
  for (let rounds = 0, before = ""; now !== before && rounds < mostRounds; rounds++) {
    before = now;
    for (const unescape of escapes) lookInside(unescape(now));
  }
  for (const decode of depth > 0 ? encodings : []) {
    const next = decode(now);
    const found = next === now ? undefined : redactText(next, redact, depth - 1);
    if (found !== undefined) now = shown = found;
  }
  return shown;
}

/** Takes the secrets out of an error, its stack and its causes, and returns it. */
export function scrubError(thrown: unknown, scrub: Scrub): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    for (const key of ["message", "stack"] as const) {
      const text = error[key];
      // Errors of the platform have getters, which an own property hides.
      if (text !== undefined && scrub(text) !== text)
        Object.defineProperty(error, key, { value: scrub(text), configurable: true });
    }
  }
  return thrown;
}

const ordinaryWord = /^[a-z]{1,7}$/i;
const ordinaryPath = /^(?=.{1,24}$)(?:\/[a-z]{1,12}(?:[._-][a-z]{1,12})*)+$/i;

// A secret of ordinary words counts only as a whole word: /audit does not match in /v4/audits. In an address it follows
// the host.
function buildWholePattern(secret: string): string {
  const spelled = buildSpelledPattern(secret);
  if (ordinaryWord.test(secret)) return `(?<![a-z0-9])${spelled}(?![a-z0-9])`;
  if (!ordinaryPath.test(secret)) return spelled;
  const slash = buildCharacterPattern("/");
  const before = String.raw`(?<=(?:^|[^\w.~-]|:\/\/[^\s/?#]{0,255})${slash})`;
  return `${slash}${before}${buildSpelledPattern(secret.slice(1))}(?![a-z0-9_-])`;
}

// At least the first characters of a secret, and as many more as there are.
function startPattern(secret: string): string {
  const characters = [...secret].map(buildCharacterPattern);
  const more = characters
    .slice(leastPiece, -1)
    .reduceRight((rest, next) => `(?:${next}${rest})?`, "");
  return characters.slice(0, leastPiece).join("") + more;
}

// Each character by itself or percent-encoded, which may be done more than once.
function buildSpelledPattern(secret: string): string {
  return [...secret].map(buildCharacterPattern).join("");
}

function buildCharacterPattern(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => `%(?:25)*${toHex(byte)}`).join("");
  // Two ways to read the same percent sign would be tried in every combination.
  return character === "%" ? "%(?:25)*" : `(?:${escapePattern(character)}|${bytes})`;
}

function toHex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

// Shorter pieces occur in many harmless lines, too.
const leastPiece = 8;

function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const escaped = JSON.stringify(secret).slice(1, -1);
  const pieces = [hex, ...listPieces(bytes)].filter(({ length }) => length >= leastPiece);
  const others = escaped === secret ? [] : [escaped];
  return [...others, bytes.toString("base64"), ...pieces].sort((a, b) => b.length - a.length);
}

// Inside other base64 it has one of three forms, depending on the number of bytes before it.
function listPieces(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6)];
    return [all.toString("base64"), all.toString("base64url")].map((text) =>
      text.slice(start, end),
    );
  });
}

// Keys of a target whose value is a credential, in either spelling.
const secretKeys = new Set(["client_secret", "access_token", "accessToken", "secret", "password"]);

/**
 * Finds a credential written into the configuration, as a dotted path. Undefined if all are markers of stored
 * credentials.
 */
export function findSecret(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, key];
    const isText = typeof item === "string" && item !== "" && item !== savedMarker;
    // The value of a workflow's variable is checked where it is defined.
    if (isText && secretKeys.has(key) && !item.startsWith("${")) return here.join(".");
    const below = findSecret(item, here);
    if (below !== undefined) return below;
  }
  return undefined;
}

// Ways in which a service writes a text that it quotes. Each function undoes one of them, once, wherever it occurs.

/** Undoes escapes of one character: JSON and JavaScript, HTML, percent, and line breaks inside long words. */
const escapes: readonly ((text: string) => string)[] = [
  (text) => text.replace(scripted, decodeScript),
  (text) => text.replace(entity, decodeEntity),
  (text) => text.replace(/(?:%[0-9a-f]{2})+/gi, decodePercents),
  (text) => text.replace(/\u0000|=?\r?\n\s*/g, ""),
];

/** Undoes encodings of whole texts: base64 from each place it can begin at, bytes in hex or as decimal numbers. */
const encodings: readonly ((text: string) => string)[] = [
  ...[0, 1, 2, 3].map((start) => (text: string) => text.replace(base64, newBase64Decoder(start))),
  (text) => text.replace(/(?:[0-9a-f]{2}[\s:,-]?){8,}/gi, decodeHex),
  (text) => text.replace(/(?:\d{1,3}\s*,\s*){7,}\d{1,3}/g, decodeNumbers),
];

const scripted = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([^ux]))/gi;
const entity = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,7}));?/gi;
const base64 = /[A-Za-z0-9+/_-]{8,}={0,2}/g;

const breaks = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function decodeScript(
  _all: string,
  braced: string,
  four: string,
  two: string,
  one: string,
): string {
  const hex = braced ?? four ?? two;
  return hex === undefined ? (breaks.get(one) ?? one) : decodeCharacter(Number.parseInt(hex, 16));
}

// The names of the characters that keys and addresses have.
const names = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    sol: "/",
    bsol: "\\",
    colon: ":",
    semi: ";",
    comma: ",",
    period: ".",
    equals: "=",
    plus: "+",
    num: "#",
    percnt: "%",
    dollar: "$",
    commat: "@",
    lowbar: "_",
    excl: "!",
    quest: "?",
    ast: "*",
    hat: "^",
    grave: "`",
    lpar: "(",
    rpar: ")",
    lsqb: "[",
    lbrack: "[",
    rsqb: "]",
    rbrack: "]",
    lcub: "{",
    lbrace: "{",
    rcub: "}",
    rbrace: "}",
    verbar: "|",
    vert: "|",
  }),
);

function decodeEntity(all: string, hex: string, decimal: string, name: string): string {
  if (name !== undefined) return names.get(name.toLowerCase()) ?? all;
  return decodeCharacter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
}

function decodeCharacter(code: number): string {
  return code > 0x10_ff_ff ? "" : String.fromCodePoint(code);
}

function decodePercents(codes: string): string {
  return Buffer.from(codes.replaceAll("%", ""), "hex").toString("utf8");
}

function newBase64Decoder(start: number): (word: string) => string {
  return (word) => {
    const found = decodeText(Buffer.from(word.slice(start), "base64"));
    return found === undefined ? word : word.slice(0, start) + found;
  };
}

function decodeHex(word: string): string {
  return decodeText(Buffer.from(word.replaceAll(/[\s:,-]/g, ""), "hex")) ?? word;
}

function decodeNumbers(list: string): string {
  const numbers = list.split(",").map(Number);
  return (numbers.every((n) => n < 256) ? decodeText(Buffer.from(numbers)) : undefined) ?? list;
}

// Bytes that are not text were not encoded text. The end of a word may be longer than its encoding.
function decodeText(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1");
  return /^[\t\n\r -~]{6,}/.test(text) ? text : undefined;
}
