// The rules of folder_path (seed 002, A).

const maxLevels = 8;
const maxNameLength = 128;

/** The folder names of a path, from the top; a slash at its end changes nothing. */
export function splitFolderPath(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .filter((name) => name !== "");
}

/** Which rule a path breaks, as what was found and what is expected; undefined where it is sound. */
export function checkFolderPath(path: string): string | undefined {
  if (path === "") return undefined;
  if (!path.startsWith("/")) return "does not start with a slash; expected /folder/folder";
  if (path.includes("//")) return "has consecutive slashes; expected one between two folder names";
  const names = splitFolderPath(path);
  if (names.length > maxLevels)
    return `has ${names.length} folder levels; expected at most ${maxLevels}`;
  const long = names.find((name) => [...name].length > maxNameLength);
  if (long !== undefined)
    return `has a folder name of ${[...long].length} characters; expected at most ${maxNameLength}`;
  return names.some((name) => name.trim() === "")
    ? "has a blank folder name; expected a name between two slashes"
    : undefined;
}
