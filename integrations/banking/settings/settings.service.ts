import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { answer, flag, input, neverNull, optional } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { service } from "../../../mixins/resource.ts";
import { WHOLE_ACCOUNT } from "../whole-account.ts";
import { lockBankSettings, readBankSettings, storeBankSettings } from "./settings-rows.ts";

const SETTINGS = {
  match_exact:
    "Whether an upload books an entry at once whose invoice number, amount and account of the client all agree; off until a person switches it on",
};
const BankSettingsRead = answer("BankSettingsRead", { match_exact: flag() }, SETTINGS);
const BankSettingsUpdate = input("BankSettingsUpdate", { match_exact: optional(neverNull(flag())) }, SETTINGS);

export default service("banking.settings", {
  actions: {
    get: action({
      rest: "GET /banking/settings",
      summary: "Read what the service does with bank statements",
      permission: "banking.statement.read",
      everyClient: true,
      exceptions: { selection: WHOLE_ACCOUNT },
      returns: BankSettingsRead,
      async handler() {
        const { version, ...shown } = await readBankSettings();
        return new JsonText(JSON.stringify(shown), version);
      },
    }),

    update: action({
      rest: "PATCH /banking/settings",
      summary: "Change what the service does with bank statements",
      permission: "banking.settings.manage",
      everyClient: true,
      exceptions: { selection: WHOLE_ACCOUNT },
      body: BankSettingsUpdate,
      example: { match_exact: true },
      returns: BankSettingsRead,
      async handler(ctx) {
        const stored = await lockBankSettings();
        requireMatch(stored.version);
        const { match_exact = stored.match_exact } = ctx.params.body;
        const isChanged = match_exact !== stored.match_exact;
        if (isChanged) storeBankSettings(match_exact);
        return new JsonText(JSON.stringify({ match_exact }), stored.version + (isChanged ? 1 : 0));
      },
    }),
  },
});
