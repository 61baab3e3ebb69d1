import { catalog } from "../../../../schemas/generated/catalog.ts";
import { classifiedAs, request, type Case } from "./case.ts";

const filledIn = (template: string): string =>
  template
    .split("/")
    .map((part, i) => {
      if (part === "*") return `users/${i}/permissions`;
      if (part === ":email") return "jo.public@mail.example.com";
      return /^(:.*|\{.*\})$/.test(part) ? `${part.length}${i}` : part;
    })
    .join("/");

const disguises: Readonly<Record<string, (verb: string, path: string) => [string, string]>> = {
  "as documented": (verb, path) => [verb, path],
  "with a format suffix": (verb, path) => [verb, `${path.replace(/\/$/, "")}.json`],
  "with two suffixes": (verb, path) => [verb, `${path.replace(/\/$/, "")}.msgpack.gz`],
  "with a query string": (verb, path) => [verb, `${path}?x=1&y=/entities/z`],
  "with suffix and query string": (verb, path) => [verb, `${path.replace(/\/$/, "")}.csv?at=1.5`],
  "with a trailing slash": (verb, path) => [verb, `${path}/`],
  "without a leading slash": (verb, path) => [verb, path.slice(1)],
  "with a verb in lower case": (verb, path) => [verb.toLowerCase(), path],
};

/** Every documented operation, ids filled in, under every name and in every disguise. */
export const documented: readonly Case[] = catalog.entries.flatMap((entry) =>
  entry.operations.flatMap((operation) =>
    Object.entries(disguises).flatMap(([how, disguise]) => {
      const [verb, path] = disguise(operation.verb, filledIn(operation.path));
      const names = [entry.event, ...entry.aliases.map((alias) => alias.name)];
      return names.map((name) => ({
        title: `${name} ${how}: ${verb} ${path}`,
        record: request(name, verb, path),
        expected: classifiedAs(
          entry,
          name === entry.event ? "documented_operation" : "alias",
          operation,
        ),
      }));
    }),
  ),
);
