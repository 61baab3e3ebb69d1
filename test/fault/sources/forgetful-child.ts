import { beChild } from "../children.ts";
import { forgetfulPlanOf } from "./forgetful.ts";
import { workOn } from "./share.ts";

beChild((share, report) => workOn(forgetfulPlanOf, share, report));
