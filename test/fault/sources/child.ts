import { beChild } from "../children.ts";
import { planOf } from "./plan.ts";
import { workOn } from "./share.ts";

beChild((share, report) => workOn(planOf, share, report));
