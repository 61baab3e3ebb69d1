import type { SubjectKind } from "../../../answers/investigate/subject.ts";

// A slash, which names of resources have, is part of the last segment of a path.
const folders: Readonly<Record<SubjectKind, string>> = {
  user: "people",
  address: "addresses",
  resource: "objects",
  job: "jobs",
};

/** The page of a person, an address, an object or a job; a range is that of the page. */
export function buildSubjectUrl(
  kind: SubjectKind,
  subject: string,
  range: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(range).toString();
  const name = kind === "user" ? subject.replace(/^user (?=\d+$)/, "") : subject;
  return `/${folders[kind]}/${encodeURIComponent(name)}${query === "" ? "" : `?${query}`}`;
}

/** The page of a person, whom an e-mail, an id or `user 17` names. */
export function buildPersonUrl(person: string): string {
  return buildSubjectUrl("user", person);
}
