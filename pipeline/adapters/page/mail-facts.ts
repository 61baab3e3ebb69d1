import type { OpenFinding } from "../../answers/page-file/open-findings.ts";
import type { Tile } from "../../answers/page-file/tiles.ts";

export type MailFacts = {
  readonly title: string;
  /** `Friday 27 November 2026`. */
  readonly day: string;
  readonly status: { readonly isGood: boolean; readonly lead: string; readonly rest: string };
  /** The first findings; undefined where the page has no list of them. */
  readonly findings: readonly MailFinding[] | undefined;
  readonly more: string;
  readonly tiles: readonly MailTile[];
  readonly tilesTitle: string;
  readonly zone: string;
  readonly baseUrl: string | undefined;
  readonly pageName: string;
};

export type MailFinding = {
  readonly id: string;
  readonly severity: OpenFinding["severity"];
  readonly headline: string;
  readonly title: string;
  readonly when: string;
};

export type MailTile = {
  readonly title: string;
  readonly value: string;
  readonly verdict: Tile["verdict"];
  readonly range: string;
};
