/** How the program is called from outside: words of a command line, and the folder it is called in. */
export type Call = { readonly words: readonly string[]; readonly folder: string };

/** The words as a POSIX shell takes them. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A word as a POSIX shell takes it. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=@,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The flags of this process that a command which a message names needs, too. */
export type OwnFlags = { readonly home?: string; readonly config?: string };

let ownFlags = (): OwnFlags => ({});

/** Sets where the flags of this process are read from; a process has one command line. */
export function nameCommandsBy(flags: () => OwnFlags): void {
  ownFlags = flags;
}

/** A command of this program as a message names it, with the flags that this process was called with, to be pasted. */
export function commandText(...words: readonly string[]): string {
  const { home, config } = ownFlags();
  const flags = [...flagWords("--home", home), ...flagWords("--config", config)];
  return shellWords(["auditlake", ...flags, ...words]);
}

// What a terminal would obey is not repeated.
function flagWords(name: string, value: string | undefined): string[] {
  return value === undefined || /\p{Cc}/u.test(value) ? [] : [name, value];
}
