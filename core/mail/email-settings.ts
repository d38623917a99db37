import type { MailProvider, MailSecurity } from "../config/mail-choices.ts";
import { column, type RowOf, tenantModel } from "../database/model.ts";

const optionalText = column.text().orNull().tracked();

/** An organisation's mail settings; at most one row. */
export const EmailSettings = tenantModel("email_settings", {
  provider: column.text<MailProvider | "instance">().tracked(),
  from_address: optionalText,
  from_name: optionalText,
  reply_to: optionalText,
  host: optionalText,
  port: column.integer().orNull().tracked(),
  security: column.text<MailSecurity>().withDefault().tracked(),
  username: optionalText,
  secret: column.sealed().orNull(),
});
export type EmailSettingsRow = RowOf<typeof EmailSettings>;
