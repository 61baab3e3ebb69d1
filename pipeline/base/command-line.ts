/** How the program is called from outside: words of a command line, and the folder it is called in. */
export type Call = { readonly words: readonly string[]; readonly folder: string };

/** The words as a POSIX shell takes them. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(" ");
}

/** A word as a POSIX shell takes it. */
export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The flags of this process that a command which a message names needs, too. */
export type OwnFlags = { readonly home?: string; readonly config?: string };

let getOwnFlags = (): OwnFlags => ({});

/** Sets where the flags of this process are read from; a process has one command line. */
export function nameCommandsBy(flags: () => OwnFlags): void {
  getOwnFlags = flags;
}

/** A command of this program as a message names it, with the flags that this process was called with, to be pasted. */
export function formatCommand(...words: readonly string[]): string {
  const { home, config } = getOwnFlags();
  const flags = [...buildFlagWords("--home", home), ...buildFlagWords("--config", config)];
  return quoteWords(["auditlake", ...flags, ...words]);
}

// What a terminal would obey is not repeated.
function buildFlagWords(name: string, value: string | undefined): string[] {
  return value === undefined || /\p{Cc}/u.test(value) ? [] : [name, value];
}
