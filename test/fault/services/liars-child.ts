import { beChild } from "../children.ts";
import { workOn } from "./share.ts";

beChild((share, report) => workOn("liars", share, report));
