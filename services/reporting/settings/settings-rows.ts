import { DEFAULT_LOCALE } from "../../../core/config/defaults.ts";
import { columns, type OwnOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ReportingSettings, type ReportingSettingsRow } from "../models.ts";

export type Settings = OwnOf<typeof ReportingSettings>;

/** The settings of an organisation that has saved none. */
export const DEFAULTS: Settings = { default_locale: DEFAULT_LOCALE, footer_text: null, schedule: {} };

const READ = statement(`select ${columns(ReportingSettings)} from reporting_settings where organisation_id = $1`);

/** The organisation's stored settings; undefined if never saved. */
export const storedSettings = (): Promise<ReportingSettingsRow | undefined> =>
  queryOne<ReportingSettingsRow>(READ, [request().organisation.id]);

/** The organisation's stored settings, or the defaults. */
export const settingsInForce = async (): Promise<Settings> => (await storedSettings()) ?? DEFAULTS;
