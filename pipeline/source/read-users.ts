import type { SourceConfig } from "../../schemas/config.ts";
import { AuditlakeError } from "../errors.ts";
import { parseExactly } from "../records/text.ts";
import {
  userListForm,
  userListOf,
  userPageOf,
  type ReadUserPage,
  type UserList,
  type UserPage,
} from "../records/user-list.ts";
import type { HttpAnswer } from "../http/exchange.ts";
import type { Client } from "./client.ts";
import { linkTo } from "./link.ts";
import { firstPosition, nextPosition, type Position } from "./paging.ts";

type Settings = Pick<SourceConfig, "users" | "limits">;
type OpenedPage = UserPage & Pick<HttpAnswer, "headers" | "url">;

/**
 * The user directory (`GET /v3/user/list/`, seed 001, What the service does, rule 2), page by page. A page that is
 * not whole is asked for again; `check` takes the service's clock first.
 */
export async function readUsers(
  client: Client,
  { users, limits }: Settings,
  check: (serverTimeMs: number | undefined) => void = () => undefined,
): Promise<UserList> {
  const paging = { ...users.paging, whole: false };
  const guard = newLoopGuard(paging.style, limits.max_pages);
  const pages: ReadUserPage[] = [];
  let position: Position | undefined = firstPosition(paging);
  while (position !== undefined) {
    guard.enter(position);
    const page: OpenedPage = await client.get(
      position.address ?? users.path,
      position.parameters,
      (answer) => {
        check(answer.serverTimeMs);
        return opened(answer, users);
      },
    );
    guard.see(page);
    const seen = { ...page, records: page.users.length, envelope: page.body };
    position = nextPosition(paging, position, seen);
    const hasLink = linkTo("next", page.headers["link"]) !== undefined;
    pages.push({ ...page, isFollowed: position !== undefined, hasLink });
  }
  return userListOf(pages, users.ignore_signs);
}

function opened({ body, headers, url }: HttpAnswer, users: Settings["users"]): OpenedPage {
  const page = userPageOf(parseExactly(body), users.records_at);
  if (page !== undefined) return { ...page, headers, url };
  throw new AuditlakeError(`GET ${users.path} is no user list; ${userListForm(users.records_at)}`);
}

type LoopGuard = {
  readonly enter: (position: Position) => void;
  readonly see: (page: UserPage) => void;
};

const advice = "check sources.<name>.users.paging";

function newLoopGuard(style: string, maxPages: number): LoopGuard {
  const tokens = new Set<string>();
  const lists = new Set<string>();
  const enter = ({ token }: Position): void => {
    if (tokens.size >= maxPages)
      throw new AuditlakeError(
        `the user list has more than ${maxPages} pages; raise sources.<name>.limits.max_pages`,
      );
    if (tokens.has(token))
      throw new AuditlakeError(
        `page ${tokens.size} of the user list names a next page that was read before, so reading would never end; ${advice}`,
      );
    tokens.add(token);
  };
  const see = ({ users }: UserPage): void => {
    const ids = users.map(({ id }) => id).join();
    if (users.length > 0 && lists.has(ids))
      throw new AuditlakeError(
        `the service sent the same page of the user list twice: it seems to ignore ${style} paging as configured; ${advice}`,
      );
    lists.add(ids);
  };
  return { enter, see };
}
