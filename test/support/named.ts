/** A place in a text that names files of the package: one, or all of a folder. */
type Name = { readonly at: number; readonly covers: (file: string) => boolean };

const quoted = /["'`]((?:queries|schemas|docs|pipeline)\/[^"'`#\s]+)/g;
const part = /^ *-- part: ([a-z_]+)$/gm;

/** Finds where a text names files: whole, by a statement of theirs, by their folder or by a template. */
export function findNames(text: string): Name[] {
  const names = [...text.matchAll(quoted)].map(({ index, 1: name }) => buildName(index, name!));
  const parts = [...text.matchAll(part)].map(({ index, 1: name }) =>
    buildName(index, `queries/parts/${name}.sql`),
  );
  return [...names, ...parts];
}

function buildName(at: number, written: string): Name {
  const [name = "", ...rest] = written.split("${");
  const isTemplate = rest.length > 0;
  // One that begins the names of several folders, such as `queries/${…}`, names none of them.
  const isBroad = isTemplate && !/^\w+\/\w/.test(name);
  const folder = isTemplate ? name : `${name.replace(/\/$/, "")}/`;
  const covers = (file: string): boolean =>
    [file, file.replace(/\.ts$/, "")].includes(name) || (!isBroad && file.startsWith(folder));
  return { at, covers };
}
