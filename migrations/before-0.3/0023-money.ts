import type { Step } from "../step.ts";
import { agreementTables } from "./0023-money/agreements.ts";
import { documentTables } from "./0023-money/documents.ts";
import { mailTables } from "./0023-money/mails.ts";
import { paymentTables } from "./0023-money/payments.ts";
import { reportIndexes } from "./0023-money/reports.ts";
import { settingTables } from "./0023-money/settings.ts";

/** Invoices, quotes, recurring agreements, online payments and their settings; each in a file of this step's folder. */
const step: Step = {
  async up(context) {
    await settingTables(context);
    await agreementTables(context);
    await documentTables(context);
    await mailTables(context);
    await paymentTables(context);
    await reportIndexes(context);
    await context.sql(`
      ${["products", "tax_rates", "invoices", "quotes", "subscriptions", "subscription_templates"]
        .map(
          (table) => `
      create trigger change_counted before update on ${table} for each row
        when (new.version = old.version) execute function count_change_of_row();`,
        )
        .join("")}
    `);
  },
};

export default step;
