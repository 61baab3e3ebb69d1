import { beChild } from "../children.ts";
import { workOn } from "./share.ts";

beChild((share, tell) => workOn("liars", share, tell));
