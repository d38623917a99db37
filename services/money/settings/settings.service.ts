import { yearOf } from "../../../core/calendar/calendar.ts";
import { differences } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { service } from "../../../mixins/resource.ts";
import { yearsOfSetCounters } from "../calculation/numbering.ts";
import { requireDayOfMonth } from "../calculation/terms.ts";
import { UNKNOWN_REFERENCE } from "../refusals.ts";
import { InvoicingSettingsRead, InvoicingSettingsWrite } from "./setting-schemas.ts";
import { settingValues } from "./setting-values.ts";
import { lockSettings, readSettings, type Settings, storeSettings, usualTerms, wholeSeller } from "./settings-rows.ts";

/** Settings as an answer. */
function answered(settings: Settings): JsonText {
  const shown = Object.fromEntries(
    Object.keys(InvoicingSettingsRead.properties).map((name) => [name, settings[name as keyof Settings]]),
  );
  const body = {
    ...shown,
    company_details: wholeSeller(settings.company_details),
    invoice_next_seq: Number(settings.invoice_next_seq),
    quote_next_seq: Number(settings.quote_next_seq),
  };
  return new JsonText(JSON.stringify(body), settings.version);
}

export default service("invoicing.settings", {
  actions: {
    get: action({
      rest: "GET /invoicing/settings",
      summary: "Read how the organisation invoices",
      permission: "invoicing.invoice.read:any",
      returns: InvoicingSettingsRead,
      handler: async () => answered(await readSettings()),
    }),

    update: action({
      rest: "PUT /invoicing/settings",
      summary: "Change how the organisation invoices; omitted fields stay unchanged",
      description:
        "`company_details` is replaced as a whole; issued documents keep those of their issue, blank fields included. You can set a counter back: existing numbers are skipped.",
      permission: "invoicing.settings.manage",
      body: InvoicingSettingsWrite,
      example: {
        default_due_days: 30,
        default_due_basis: "end_of_month",
        default_hourly_rate: "85.00",
        invoice_number_format: "{year}-{seq:4}",
        reminders_enabled: true,
        reminder_days: [7, 14, 30],
        auto_invoice_mode: "issue",
      },
      returns: InvoicingSettingsRead,
      errors: [UNKNOWN_REFERENCE],
      async handler(ctx) {
        const values = settingValues(ctx.params.body);
        const stored = await lockSettings();
        requireMatch(stored.version);
        if (values.default_due_days !== undefined || values.default_due_basis !== undefined)
          requireDayOfMonth(usualTerms({ ...stored, ...values }), "default_due_days");
        const changed = differences(stored, values);
        if (changed) storeSettings({ ...changed, ...yearsOfSetCounters(stored, changed, yearOf(organisationToday())) });
        return answered({ ...stored, ...changed, version: stored.version + (changed ? 1 : 0) });
      },
    }),
  },
});
