import fc from "fast-check";

// Pages as services write them, with what is known of each, for property tests.

/** A JSON string, some of its characters escaped although they need not be. */
const stringText = fc
  .array(fc.tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }), fc.boolean()), {
    maxLength: 10,
  })
  .map(
    (parts) => `"${parts.map(([c, escaped]) => (escaped ? listUnits(c) : getBare(c))).join("")}"`,
  );

function listUnits(text: string): string {
  return text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function getBare(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** White space between tokens. */
export const gaps = fc.constantFrom("", "", " ", "\n  ", "\r\n", "\t");

/** A JSON value as text: nested, with unicode, escapes and big numbers. */
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom("null", "true", "false", "0", "-1", "12345678901234567890", "1.50", "-2e-7"),
    fc.maxSafeInteger().map(String),
    stringText,
    fc
      .tuple(fc.array(tie("value"), { maxLength: 3 }), gaps)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},`)}${gap}]`),
    fc.tuple(fc.dictionary(stringText, tie("value"), { maxKeys: 3 }), gaps).map(
      ([members, gap]) =>
        `{${gap}${Object.entries(members)
          .map(([key, value]) => `${key}${gap}:${value}`)
          .join(",")}}`,
    ),
  ),
})).value;

const keyTexts = ["time", "event_name", "user_id", "query_text", "shade", "größe", "", "a\tb"];

/** The text of a record without a key twice; keys in any order, some of them written with escapes. */
export const recordText: fc.Arbitrary<string> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...keyTexts), fc.boolean(), jsonText), {
      maxLength: 6,
      selector: ([key]) => key,
    }),
    gaps,
  )
  .map(([members, gap]) => {
    const texts = members.map(
      ([key, escaped, value]) =>
        `"${escaped ? listUnits(key) : getBare(key)}"${gap}:${gap}${value}`,
    );
    return `{${gap}${texts.join(`${gap},${gap}`)}${gap}}`;
  });

export type JsonPageText = {
  readonly text: string;
  readonly records: readonly string[];
  /** Dotted path of the record array; null in a bare array. */
  readonly recordsAt: string | null;
};

/** A JSON page without white space around it: a bare array or an envelope. */
export const jsonPage: fc.Arbitrary<JsonPageText> = fc
  .record({
    records: fc.array(recordText, { maxLength: 6 }),
    gap: gaps,
    mark: fc.constantFrom("", "", "\ufeff"),
    form: fc.constantFrom("array", "envelope", "deep"),
  })
  .map(({ records, gap, mark, form }) => {
    const array = `[${gap}${records.join(`${gap},${gap}`)}${gap}]`;
    if (form === "array") return { text: mark + array, records, recordsAt: null };
    const [recordsAt, body] =
      form === "envelope"
        ? [
            "audits",
            `{"count":${records.length},${gap}"audits":${array},"next_page":${gap}"c\\u0061"}`,
          ]
        : [
            "data.items",
            `{"data":{${gap}"items"${gap}:${array}},"next":{"at":"}]"},"tags":["{",2]}`,
          ];
    return { text: mark + body, records, recordsAt };
  });
