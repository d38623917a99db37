import { action } from "../../../../core/declare/action.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { service } from "../../../../mixins/resource.ts";
import { DunningSettingsRead, DunningSettingsWrite } from "./setting-schemas.ts";
import { dunningValues } from "./setting-values.ts";
import { type DunningValues, lockDunning, readDunning, storeDunning } from "./settings-rows.ts";

const answered = ({ enabled, levels, rates }: DunningValues, version: number): JsonText =>
  new JsonText(JSON.stringify({ enabled, levels, rates }), version);

/** How the organisation duns. */
export default service("dunning.settings", {
  actions: {
    get: action({
      rest: "GET /invoicing/dunning",
      summary: "Read the levels of dunning",
      permission: "dunning.claim.read",
      returns: DunningSettingsRead,
      async handler() {
        const { version, ...settings } = await readDunning();
        return answered(settings, version);
      },
    }),

    update: action({
      rest: "PUT /invoicing/dunning",
      summary: "Change the levels of dunning; omitted fields stay unchanged",
      description:
        "Notices that were sent stay as they are. From the first level on, an invoice gets no reminders of the schedule.",
      permission: "dunning.settings.manage",
      body: DunningSettingsWrite,
      example: {
        enabled: true,
        levels: [
          { days: 14 },
          {
            days: 30,
            fee: "15.00",
            interest: true,
            texts: [
              {
                language: "nl",
                subject: "Aanmaning factuur {number}",
                body: "Geachte {name},\n\nFactuur {number} staat nog open.",
              },
            ],
          },
          { days: 45, pay_within: 14, interest: true, costs: true },
        ],
        rates: [{ from: "2027-01-01", business: "10.40", consumer: "4.00" }],
      },
      returns: DunningSettingsRead,
      async handler(ctx) {
        const { version, ...stored } = await lockDunning();
        requireMatch(version);
        const values = dunningValues(stored, ctx.params.body);
        const isChanged = JSON.stringify(values) !== JSON.stringify(stored);
        if (isChanged) storeDunning(values);
        return answered(values, version + (isChanged ? 1 : 0));
      },
    }),
  },
});
