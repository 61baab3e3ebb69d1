import type { SourceConfig } from "../../../schemas/config.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { parseExactly } from "../records/text.ts";
import {
  describeUserListForm,
  buildUserList,
  parseUserPage,
  type UserList,
  type UserPage,
} from "../records/user-list.ts";
import type { HttpAnswer } from "../../base/http/exchange.ts";
import type { Client } from "./client.ts";
import { linkTo } from "./link.ts";
import {
  type PagedRead,
  type Pages,
  type SeenPage,
  type Position,
  readPages,
  newSamePageError,
} from "./paging.ts";

type Settings = Pick<SourceConfig, "users" | "limits">;
type OpenedPage = UserPage & SeenPage;

/**
 * Reads the user directory page by page (`GET /v3/user/list/`, seed 001, What the service does, rule 2). Incomplete
 * pages are requested again; `check` takes the service's clock first.
 */
export async function readUsers(
  client: Client,
  { users, limits }: Settings,
  check: (serverTimeMs: number | undefined) => void = () => undefined,
): Promise<UserList> {
  const { paging } = users;
  const ask = ({ address, parameters }: Position): Promise<OpenedPage> =>
    client.get(address ?? users.path, parameters, (answer) => {
      check(answer.serverTimeMs);
      return openUserPage(answer, users);
    });
  const reading = listReading(limits.max_pages);
  const refuseSame = newRepeatGuard(paging, reading);
  const pages: OpenedPage[] = [];
  for await (const page of readPages(paging, ask, reading)) {
    refuseSame(page);
    pages.push(page);
  }
  const read = pages.map((page, i) => ({
    ...page,
    isFollowed: i < pages.length - 1,
    hasLink: linkTo("next", page.headers["link"]) !== undefined,
  }));
  return buildUserList(read, users.ignore_signs);
}

function openUserPage({ body, headers, url }: HttpAnswer, users: Settings["users"]): OpenedPage {
  const page = parseUserPage(parseExactly(body), users.records_at);
  if (page !== undefined)
    return { ...page, records: page.users.length, envelope: page.body, headers, url };
  throw new AuditlakeError(
    `GET ${users.path} is not a user list; ${describeUserListForm(users.records_at)}`,
  );
}

const listReading = (maxPages: number): PagedRead => ({
  maxPages,
  tooMany: `the user list has more than ${maxPages} pages; raise sources.<name>.limits.max_pages`,
  of: " of the user list",
  advice: "check sources.<name>.users.paging",
});

function newRepeatGuard(paging: Pages, reading: PagedRead): (page: UserPage) => void {
  const lists = new Set<string>();
  return ({ users }) => {
    const ids = users.map(({ id }) => id).join();
    if (users.length > 0 && lists.has(ids)) throw newSamePageError(paging, reading);
    lists.add(ids);
  };
}
