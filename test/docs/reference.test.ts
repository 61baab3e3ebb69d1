import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectPath } from "./pages.ts";

// Citations such as "seed 002, Errors, rule 3" against docs/reference: each finds its rule, each rule is cited or background.

type Section = {
  readonly title: string;
  readonly rules: ReadonlyMap<string, string>;
  readonly text: string;
};

function makeSections(seed: string): Section[] {
  const page = readFileSync(projectPath(`docs/reference/${seed}.md`), "utf8");
  let above = "";
  return page
    .split(/^(?=##)/m)
    .slice(1)
    .map((text) => {
      const [, marks, own] = /^(#+) (.*)/.exec(text)!;
      if (marks === "##") above = own!;
      const isNested = marks === "###" && above !== "Events";
      const items = [...text.matchAll(/^(\d+)\. (.*)$/gm)].map(
        ([, n, rule]) => [n!, rule!] as const,
      );
      return { title: isNested ? `${above}, ${own}` : own!, rules: new Map(items), text };
    });
}

const pages = new Map(["000", "001", "002"].map((seed) => [seed, makeSections(seed)] as const));

const files = globSync("{pipeline,schemas,queries,fixtures,test}/**/*.{ts,sql,md}", {
  cwd: projectPath("."),
  exclude: (path) => /node_modules|generated|golden|reference\.test/.test(path),
});

type Citation = { readonly file: string; readonly seed: string; readonly tail: string };

// A citation continues over the lines of a comment.
const citations = files.flatMap((file): Citation[] => {
  const text = readFileSync(projectPath(file), "utf8").replaceAll(/\n\s*(?:\/\/|\*|--)?\s*/g, " ");
  return [...text.matchAll(/\bseed (\d{3})([^]{0,120})/gi)].map(([, seed, tail]) => ({
    file,
    seed: seed!,
    tail: tail!,
  }));
});

type Found = { readonly section: Section; readonly rules: readonly string[] };

// Each section that a citation goes through, one after another; lower-case prose behind a comma is no section.
function findAll({ seed, tail }: Citation): { found: Found[]; rest: string } {
  const sections = pages.get(seed) ?? [];
  const found: Found[] = [];
  let rest = tail;
  for (;;) {
    const [, lead] = /^((?:, and |; | and |, ))(?=[A-Za-z_])/.exec(rest) ?? [];
    if (lead === undefined) return { found, rest };
    const after = rest.slice(lead.length);
    const section = sections
      .filter(({ title }) => new RegExp(`^${title}(?![\\w-])`).test(after))
      .toSorted((a, b) => b.title.length - a.title.length)[0];
    if (section === undefined) return { found, rest };
    rest = after.slice(section.title.length);
    const [whole = "", from, joint, to] = /^, rules? (\d+)(?: (and|to) (\d+))?/.exec(rest) ?? [];
    rest = rest.slice(whole.length);
    // A row of a table in between: "A, auth_type and Authentication, rule 1".
    rest = rest.replace(/^, \w*_\w+(?=,? and [A-Z])/, "");
    found.push({ section, rules: numbers(from, joint, to) });
  }
}

function numbers(from: string | undefined, joint?: string, to?: string): string[] {
  if (from === undefined) return [];
  if (to === undefined) return [from];
  const between = joint === "to" ? Number(to) - Number(from) - 1 : 0;
  return [from, ...Array.from({ length: between }, (_, i) => String(Number(from) + 1 + i)), to];
}

describe("the cited rules of the reference", () => {
  it("are found in many citations", () => {
    expect(citations.length).toBeGreaterThan(150);
  });

  it("exist on the cited page", () => {
    const lost = citations.flatMap(({ file, ...citation }) => {
      const { found, rest } = findAll({ file, ...citation });
      const missing = found.flatMap(({ section, rules }) =>
        rules.filter((n) => !section.rules.has(n)).map((n) => `${section.title}, rule ${n}`),
      );
      const isOpen = /^, (?:rules? \d|[A-Z])/.test(rest) && found.length === 0;
      const [, row] = /^, (\w*_\w+)/.exec(rest) ?? [];
      const isRow =
        row === undefined || found.some(({ section }) => section.text.includes(`\`${row}\``));
      const isUnknown = !pages.has(citation.seed);
      return isUnknown || missing.length > 0 || isOpen || !isRow
        ? [`${file}: seed ${citation.seed}${citation.tail.slice(0, 60)}`]
        : [];
    });
    expect(lost).toEqual([]);
  });

  it("are cited, or marked as background", () => {
    const cited = new Set<string>();
    for (const citation of citations)
      for (const { section, rules } of findAll(citation).found) {
        cited.add(`${citation.seed}, ${section.title}`);
        const all = rules.length > 0 ? rules : [...section.rules.keys()];
        for (const n of all) cited.add(`${citation.seed}, ${section.title}, rule ${n}`);
      }
    const isMarked = (text: string): boolean => text.includes("*background*");
    const idle = [...pages].flatMap(([seed, sections]) =>
      sections.flatMap(({ title, rules, text }) => {
        const name = `${seed}, ${title}`;
        if (rules.size === 0) return cited.has(name) || isMarked(text) ? [] : [name];
        return [...rules]
          .filter(([n, rule]) => !cited.has(`${name}, rule ${n}`) && !isMarked(rule))
          .map(([n]) => `${name}, rule ${n}`);
      }),
    );
    expect(idle).toEqual([]);
  });
});

// A page is below the root, in docs or beside the file; a part of it is named literally.
describe("the pages that comments cite", () => {
  const comment = /(?:^[ \t]*(?:\/\/|\/?\*|--).*\n)+/gm;
  const cited = files
    .filter((file) => !file.endsWith(".md"))
    .flatMap((file) =>
      [...readFileSync(projectPath(file), "utf8").matchAll(comment)].flatMap(([text]) =>
        [...text.matchAll(/(?<![\w./*{}-])([\w/-]+\.md)\b(?:, "([^"]+)")?/g)].map(
          ([, page, part]) => ({ file, page: page!, part }),
        ),
      ),
    );

  it("exist in the tree, and contain the cited part", () => {
    const unresolved = cited.filter(({ file, page, part }) => {
      const path = ["", "docs", dirname(file)]
        .map((folder) => projectPath(join(folder, page)))
        .find((found) => existsSync(found));
      return path === undefined || !readFileSync(path, "utf8").includes(part ?? "");
    });
    expect(unresolved).toEqual([]);
    expect(cited.length).toBeGreaterThan(10);
  });
});
