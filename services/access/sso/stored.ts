import { columns } from "../../../core/database/model.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/sql/statement.ts";
import { SsoSettings, type SsoSettingsRow } from "./models.ts";
import type { Connection } from "./settings-rules.ts";

const STORED = `select ${columns(SsoSettings)} from sso_settings where organisation_id = $1`;
/** The settings of an organisation. */
export const READ_SETTINGS = statement(STORED);
/** The same, locked until the transaction ends. */
export const LOCK_SETTINGS = statement(`${STORED} for update`);

/** Version of settings that were never saved. */
export const UNSAVED_VERSION = 0;

/** The connection of stored settings, with the secret unsealed. */
export const connectionOf = (row: SsoSettingsRow | undefined): Connection => ({
  discovery_url: row?.discovery_url ?? null,
  client_id: row?.client_id ?? null,
  secret: row ? unsealed(SsoSettings, row, "client_secret") : null,
});
