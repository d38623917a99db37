import type { Step } from "../step.ts";
import { domainTables } from "./0025-assets/domains.ts";
import { edgeTables } from "./0025-assets/edge.ts";
import { providerTables } from "./0025-assets/providers.ts";
import { registrarTables } from "./0025-assets/registrar.ts";
import { websiteTables } from "./0025-assets/websites.ts";

/** Domains and their prices, websites, hosting, and what edge DNS providers and registrars last said; each in a file of this step's folder. */
const step: Step = {
  async up(context) {
    await providerTables(context);
    await domainTables(context);
    await websiteTables(context);
    await edgeTables(context);
    await registrarTables(context);
  },
};

export default step;
