import type { World } from "../world.ts";

type Stream = World["stderr"];

/** What a command line was given that a command which messages name needs, too. */
export type Given = { readonly home?: string; readonly config?: string };

/** The verbs that messages name: what is said is no command where another word follows the program's name. */
export const namedVerbs: readonly string[] = (
  "init ingest import report investigate sql tables status catalog users access policy export page serve publish lake " +
  "rebuild prune doctor activate connect config mcp schedule"
).split(" ");

// Who holds a lock is said with its process, and is nothing to type.
const named = new RegExp(
  String.raw`\bauditlake (?=(?:${namedVerbs.join("|")})\b(?!(?: [a-z]+)* \(process))`,
  "g",
);
const plainWord = /^[\w./:@%+,=-]+$/;

/** A text whose commands name the home and the configuration that this one was given, so that they can be pasted. */
export function asGiven(text: string, { home, config }: Given): string {
  const flags = [...flag("--home", home), ...flag("--config", config)];
  // A function, since a path may hold what stands for something in a replacement.
  return flags.length === 0 ? text : text.replaceAll(named, () => `auditlake ${flags.join(" ")} `);
}

function flag(name: string, value: string | undefined): string[] {
  // What a terminal would obey is not repeated.
  if (value === undefined || /\p{Cc}/u.test(value)) return [];
  return [
    `${name} ${plainWord.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`}`,
  ];
}

/** A stream on which commands stand as they can be pasted; what was given is asked for with each text. */
export function pasteable(stream: Stream, given: () => Given): Stream {
  const write: Stream["write"] = (text: string | Uint8Array, ...rest: unknown[]) => {
    const shown = typeof text === "string" ? asGiven(text, given()) : text;
    return (stream.write as (...all: unknown[]) => boolean)(shown, ...rest);
  };
  // The rest of it is the stream's own, such as its width.
  return Object.assign(Object.create(stream) as Stream, { write });
}
