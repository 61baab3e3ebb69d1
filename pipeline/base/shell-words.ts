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
