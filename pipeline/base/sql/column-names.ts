/** The names of columns, each of them once: of two members of one name an object would keep the last alone. */
export function distinctNames(names: readonly string[]): string[] {
  const distinct = new Set<string>();
  for (const name of names) {
    let own = name;
    for (let n = 1; distinct.has(own); n++) own = `${name}:${n}`;
    distinct.add(own);
  }
  return [...distinct];
}
