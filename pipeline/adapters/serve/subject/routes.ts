import type { Hono } from "hono";
import { sendPieces } from "../pieces.ts";
import type { VisitEnv } from "../visit.ts";
import { writePeoplePage } from "./people.ts";
import { writePersonPage } from "./person.ts";
import { thingFolders, writeThingPage } from "./thing.ts";

export function addSubjectRoutes(app: Hono<VisitEnv>): void {
  app.get("/people", (c) => sendPieces(c, writePeoplePage(c.var.visit)));
  app.get("/people/:name", (c) => sendPieces(c, writePersonPage(c.var.visit, c.req.param("name"))));
  for (const [folder, kind] of thingFolders)
    app.get(`/${folder}/:name`, (c) =>
      sendPieces(c, writeThingPage(c.var.visit, kind, c.req.param("name"))),
    );
}
