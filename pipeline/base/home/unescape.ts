// Ways in which a service writes a text that it quotes. Each function undoes one of them, once, wherever it occurs.

/** Undoes escapes of one character: JSON and JavaScript, HTML, percent, and line breaks inside long words. */
export const escapes: readonly ((text: string) => string)[] = [
  (text) => text.replace(scripted, fromScript),
  (text) => text.replace(entity, fromEntity),
  (text) => text.replace(/(?:%[0-9a-f]{2})+/gi, fromPercents),
  (text) => text.replace(/\u0000|=?\r?\n\s*/g, ""),
];

/** Undoes encodings of whole texts: base64 from each place it can begin at, bytes in hex or as decimal numbers. */
export const encodings: readonly ((text: string) => string)[] = [
  ...[0, 1, 2, 3].map((start) => (text: string) => text.replace(base64, fromBase64(start))),
  (text) => text.replace(/(?:[0-9a-f]{2}[\s:,-]?){8,}/gi, fromHex),
  (text) => text.replace(/(?:\d{1,3}\s*,\s*){7,}\d{1,3}/g, fromNumbers),
];

const scripted = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|([^ux]))/gi;
const entity = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,7}));?/gi;
const base64 = /[A-Za-z0-9+/_-]{8,}={0,2}/g;

const breaks = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function fromScript(_all: string, braced: string, four: string, two: string, one: string): string {
  const hex = braced ?? four ?? two;
  return hex === undefined ? (breaks.get(one) ?? one) : character(Number.parseInt(hex, 16));
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

function fromEntity(all: string, hex: string, decimal: string, name: string): string {
  if (name !== undefined) return names.get(name.toLowerCase()) ?? all;
  return character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
}

function character(code: number): string {
  return code > 0x10_ff_ff ? "" : String.fromCodePoint(code);
}

function fromPercents(codes: string): string {
  return Buffer.from(codes.replaceAll("%", ""), "hex").toString("utf8");
}

function fromBase64(start: number): (word: string) => string {
  return (word) => {
    const found = textIn(Buffer.from(word.slice(start), "base64"));
    return found === undefined ? word : word.slice(0, start) + found;
  };
}

function fromHex(word: string): string {
  return textIn(Buffer.from(word.replaceAll(/[\s:,-]/g, ""), "hex")) ?? word;
}

function fromNumbers(list: string): string {
  const numbers = list.split(",").map(Number);
  return (numbers.every((n) => n < 256) ? textIn(Buffer.from(numbers)) : undefined) ?? list;
}

// What is no text was not encoded. At its end, a word may have more than its encoding.
function textIn(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1");
  return /^[\t\n\r -~]{6,}/.test(text) ? text : undefined;
}
