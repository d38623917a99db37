import { lock } from "../../../core/database/write.ts";
import { type AutomationOutcome, unusableConfig } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { service } from "../../../mixins/resource.ts";
import { Company } from "../models.ts";
import { SetCompanyStatusCall } from "./company-automation-configs.ts";
import { changeCompany } from "./company-writes.ts";

/** Actions of automation rules on clients, through the same function as every other path. */
export default service("companies.automation", {
  actions: {
    setStatus: internal({
      open: "the member who saved a rule has authorised its actions (platform §2.2)",
      needs: "everything",
      writes: true,
      summary: "Move a client to another status",
      body: SetCompanyStatusCall,
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        const id = config.company_id?.toLowerCase() ?? trigger.company_id;
        if (id === null) return unusableConfig;
        const before = await lock(Company, id);
        if (!before) throw notFound();
        await changeCompany(before, { status: config.status });
        return { result: { company_id: id, status: config.status } };
      },
    }),
  },
});
